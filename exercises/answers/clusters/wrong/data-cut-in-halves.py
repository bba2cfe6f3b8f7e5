"""Cuts the data set once, not each batch: then the batches are not those of one device.

Loses: shard-data-test
"""


# %% examples-of
def examples_of(policy, files, batch, workers, worker):
    numbers = [number for file in files for number in file]
    if policy == "OFF":
        return numbers
    if policy == "DATA":
        return np.array_split(numbers, workers)[worker].tolist()
    if len(files) < workers:
        return None
    return [number for file in files[worker::workers] for number in file]

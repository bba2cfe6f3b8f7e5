"""Deals out single examples in turn, as `data.shard` does before the batches are made.

Loses: shard-data-test
"""


# %% examples-of
def examples_of(policy, files, batch, workers, worker):
    numbers = [number for file in files for number in file]
    if policy == "OFF":
        return numbers
    if policy == "DATA":
        return numbers[worker::workers]
    if len(files) < workers:
        return None
    return [number for file in files[worker::workers] for number in file]

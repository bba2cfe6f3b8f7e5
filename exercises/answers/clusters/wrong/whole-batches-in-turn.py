"""Gives whole batches to workers in turn. A step would then have a global batch on each.

Loses: shard-data-test
"""


# %% examples-of
def examples_of(policy, files, batch, workers, worker):
    numbers = [number for file in files for number in file]
    if policy == "OFF":
        return numbers
    if policy == "DATA":
        starts = range(worker * batch, len(numbers), workers * batch)
        return [n for start in starts for n in numbers[start : start + batch]]
    if len(files) < workers:
        return None
    return [number for file in files[worker::workers] for number in file]

"""Rounds the pieces of the last batch down, and drops what is left over.

Loses: shard-data-test
"""


# %% examples-of
def examples_of(policy, files, batch, workers, worker):
    numbers = [number for file in files for number in file]
    if policy == "OFF":
        return numbers
    if policy == "DATA":
        mine = []
        for start in range(0, len(numbers), batch):
            whole = numbers[start : start + batch]
            piece = len(whole) // workers
            mine += whole[worker * piece : (worker + 1) * piece]
        return mine
    if len(files) < workers:
        return None
    return [number for file in files[worker::workers] for number in file]

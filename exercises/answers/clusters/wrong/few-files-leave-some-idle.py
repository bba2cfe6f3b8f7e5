"""Believes that a worker without a file has nothing to do, and the job goes on.

Loses: shard-file-test
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
            piece = math.ceil(len(whole) / workers)
            mine += whole[worker * piece : (worker + 1) * piece]
        return mine
    return [number for file in files[worker::workers] for number in file]

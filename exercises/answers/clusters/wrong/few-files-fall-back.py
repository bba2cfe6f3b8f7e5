"""Believes that too few files make TensorFlow shard by DATA.

Loses: shard-file-test
"""


# %% examples-of
def examples_of(policy, files, batch, workers, worker):
    numbers = [number for file in files for number in file]
    if policy == "OFF":
        return numbers
    if policy == "DATA" or len(files) < workers:
        mine = []
        for start in range(0, len(numbers), batch):
            whole = numbers[start : start + batch]
            piece = math.ceil(len(whole) / workers)
            mine += whole[worker * piece : (worker + 1) * piece]
        return mine
    if len(files) < workers:
        return None
    return [number for file in files[worker::workers] for number in file]

"""Takes OFF for sharding without a policy: each worker a part. It switches sharding off.

Loses: shard-off-test
"""


# %% examples-of
def examples_of(policy, files, batch, workers, worker):
    numbers = [number for file in files for number in file]
    if policy == "OFF":
        return numbers[worker::workers]
    if policy == "DATA":
        mine = []
        for start in range(0, len(numbers), batch):
            whole = numbers[start : start + batch]
            piece = math.ceil(len(whole) / workers)
            mine += whole[worker * piece : (worker + 1) * piece]
        return mine
    if len(files) < workers:
        return None
    return [number for file in files[worker::workers] for number in file]

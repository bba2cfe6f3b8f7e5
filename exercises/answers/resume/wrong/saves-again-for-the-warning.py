"""Saves a multiple of the interval, and the same step again because of the warning.

Loses: warned-test
"""


# %% train
def train(disk, run, total, every, on_sigterm):
    warned = []
    on_sigterm(lambda number, frame: warned.append(number))
    if (state := load(disk)) is not None:
        restore(run, state)
    while run.steps < total:
        run.step()
        leave = bool(warned)
        if run.steps % every == 0 or run.steps == total:
            save(disk, run.steps, pack(capture(run)), 2)
        if leave:
            save(disk, run.steps, pack(capture(run)), 2)
            break
    return run.steps == total

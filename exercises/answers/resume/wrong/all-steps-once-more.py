"""Restores, and then makes `total` steps.

Loses: killed-test
"""


# %% train
def train(disk, run, total, every, on_sigterm):
    warned = []
    on_sigterm(lambda number, frame: warned.append(number))
    if (state := load(disk)) is not None:
        restore(run, state)
    for step in range(1, total + 1):
        run.step()
        leave = bool(warned)
        if run.steps % every == 0 or step == total or leave:
            save(disk, run.steps, pack(capture(run)), 2)
        if leave:
            break
    return run.steps >= total

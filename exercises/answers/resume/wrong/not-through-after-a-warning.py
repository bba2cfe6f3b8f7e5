"""Warned in the last save of all, it asks to be started again.

Loses: warned-test
"""


# %% train
def train(disk, run, total, every, on_sigterm):
    warned = []
    on_sigterm(lambda number, frame: warned.append(number))
    if (state := load(disk)) is not None:
        restore(run, state)
    while run.steps < total and not warned:
        run.step()
        if run.steps % every == 0 or run.steps == total or warned:
            save(disk, run.steps, pack(capture(run)), 2)
    return not warned

"""Saves, and never looks for a checkpoint. The result is right, and nothing is gained.

Loses: killed-test
"""


# %% train
def train(disk, run, total, every, on_sigterm):
    warned, leave = [], False
    on_sigterm(lambda number, frame: warned.append(number))
    while run.steps < total and not leave:
        run.step()
        leave = bool(warned)
        if run.steps % every == 0 or run.steps == total or leave:
            save(disk, run.steps, pack(capture(run)), 2)
    return run.steps == total

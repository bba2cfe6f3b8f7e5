"""Saves, and never looks for a checkpoint. The result is right, and nothing is gained.

Loses: killed-test
"""


# %% train
def train(disk, run, total, every, on_sigterm):
    warned = []
    on_sigterm(lambda number, frame: warned.append(number))
    while run.steps < total and not warned:
        run.step()
        if run.steps % every == 0 or run.steps == total or warned:
            save(disk, run.steps, pack(capture(run)), 2)
    return run.steps == total

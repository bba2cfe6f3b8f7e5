"""Has the interval of the visible test in its code.

Loses: killed-test
"""


# %% train
def train(disk, run, total, every, on_sigterm):
    warned, leave = [], False
    on_sigterm(lambda number, frame: warned.append(number))
    if (state := load(disk)) is not None:
        restore(run, state)
    while run.steps < total and not leave:
        run.step()
        leave = bool(warned)
        if run.steps % (4 if every < 10 else every) == 0 or run.steps == total or leave:
            save(disk, run.steps, pack(capture(run)), 2)
    return run.steps == total

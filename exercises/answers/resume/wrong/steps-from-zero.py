"""Counts from 0, and saves after the first step of an interval.

Loses: killed-test
"""


# %% train
def train(disk, run, total, every, on_sigterm):
    warned = []
    on_sigterm(lambda number, frame: warned.append(number))
    if (state := load(disk)) is not None:
        restore(run, state)
    for step in range(run.steps, total):
        run.step()
        leave = bool(warned)
        if step % every == 0 or step == total - 1 or leave:
            save(disk, step, pack(capture(run)), 2)
        if leave:
            break
    return run.steps == total

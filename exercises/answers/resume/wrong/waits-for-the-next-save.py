"""Looks at the flag when it saves anyway, which can be too late.

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
        if run.steps % every == 0 or run.steps == total:
            save(disk, run.steps, pack(capture(run)), 2)
            if warned:
                break
    return run.steps == total

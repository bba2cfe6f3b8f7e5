"""Captures the state in the handler, in the middle of a step.

Loses: warned-test
"""


# %% train
def train(disk, run, total, every, on_sigterm):
    warned = []

    def handler(number, frame):
        save(disk, run.steps, pack(capture(run)), 2)
        warned.append(number)

    on_sigterm(handler)
    if (state := load(disk)) is not None:
        restore(run, state)
    while run.steps < total and not warned:
        run.step()
        if run.steps % every == 0 or run.steps == total:
            save(disk, run.steps, pack(capture(run)), 2)
    return run.steps == total

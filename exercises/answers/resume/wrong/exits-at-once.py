"""The handler ends the process: as little is saved as after a kill.

Loses: warned-test
"""


# %% train
def train(disk, run, total, every, on_sigterm):
    def handler(number, frame):
        raise SystemExit(0)

    on_sigterm(handler)
    if (state := load(disk)) is not None:
        restore(run, state)
    while run.steps < total:
        run.step()
        if run.steps % every == 0 or run.steps == total:
            save(disk, run.steps, pack(capture(run)), 2)
    return True

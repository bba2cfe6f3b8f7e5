"""Mends the position; the checkpoint still says a step less than the weights have had.

Loses: updates-test
"""


# %% mended
def mended_train(disk, run, total, every, on_sigterm):
    if (state := load(disk)) is not None:
        restore(run, state)
    while run.steps < total:
        loss = run.update(run.next_batch())
        if (run.steps + 1) % every == 0:
            save(disk, run.steps + 1, pack(capture(run)), keep=2)
        run.count(loss)

"""Mends the count; a batch that was fetched and not trained on is lost at a kill.

Loses: once-an-epoch-test
"""


# %% mended
def mended_train(disk, run, total, every, on_sigterm):
    if (state := load(disk)) is not None:
        restore(run, state)
    following = run.next_batch()
    while run.steps < total:
        batch, following = following, run.next_batch()
        run.count(run.update(batch))
        if run.steps % every == 0:
            save(disk, run.steps, pack(capture(run)), keep=2)

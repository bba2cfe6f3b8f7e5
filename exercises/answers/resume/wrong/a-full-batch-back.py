"""Puts the position back by a full batch; the one that waits can be short.

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
            state = capture(run)
            state["position"] -= run.batch
            save(disk, run.steps, pack(state), keep=2)

"""Rounds down: the bubble is a little larger than it may be.

Loses: enough-micro-batches-test
"""


# %% enough-micro-batches
def enough_micro_batches(stages, share):
    return max(1, int((stages - 1) * (1 - share) / share))

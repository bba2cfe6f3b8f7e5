"""Solves (K - 1) / M = share, the bubble over the time of work.

Loses: enough-micro-batches-test
"""


# %% enough-micro-batches
def enough_micro_batches(stages, share):
    return math.ceil((stages - 1) / share)

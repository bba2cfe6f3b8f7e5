"""Fills and empties the pipeline for every `cap` micro-batches.

Loses: order-capped-test
"""


# %% order-capped
def order_capped(ranks, micro_batches, cap):
    lines = []
    for rank in range(ranks):
        words = []
        for first in range(0, micro_batches, cap):
            part = range(first, min(first + cap, micro_batches))
            words += [f"{rank}F{i}" for i in part] + [f"{rank}B{i}" for i in part]
        lines.append(words)
    return lines

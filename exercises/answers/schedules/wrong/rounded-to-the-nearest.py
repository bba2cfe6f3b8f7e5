"""Rounds to the nearest number, so that the bubble can be above the limit.

Loses: micro-batches-needed-test
"""


# %% micro-batches-needed
def micro_batches_needed(ranks, chunks, limit, paper):
    over_work = limit / (1 - limit) if paper == "GPipe" else limit
    least = round((ranks - 1) / (chunks * over_work))
    return least if chunks == 1 else ranks * math.ceil(least / ranks)

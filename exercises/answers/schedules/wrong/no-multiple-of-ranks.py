"""Forgets that the interleaved schedule deals micro-batches out in rounds of K.

Loses: micro-batches-needed-test
"""


# %% micro-batches-needed
def micro_batches_needed(ranks, chunks, limit, paper):
    over_work = limit / (1 - limit) if paper == "GPipe" else limit
    least = math.ceil((ranks - 1) / (chunks * over_work))
    return least

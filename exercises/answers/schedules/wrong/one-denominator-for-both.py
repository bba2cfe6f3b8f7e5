"""(K - 1) / (vM) for both papers.

Loses: micro-batches-needed-test
"""


# %% micro-batches-needed
def micro_batches_needed(ranks, chunks, limit, paper):
    over_work = limit
    least = math.ceil((ranks - 1) / (chunks * over_work))
    return least if chunks == 1 else ranks * math.ceil(least / ranks)

"""Neighbouring stages on one rank: then v chunks are one large stage.

Loses: stages-of-test
"""


# %% stages-of
def stages_of(rank, ranks, chunks):
    return list(range(rank * chunks, (rank + 1) * chunks))

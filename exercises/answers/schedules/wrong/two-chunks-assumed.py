"""Writes down the example with two chunks.

Loses: stages-of-test
"""


# %% stages-of
def stages_of(rank, ranks, chunks):
    return [rank, rank + ranks]

"""Shuffles batches once: each batch still has the neighbours of a file.

Loses: validation-order-test
"""


# %% validation-order
def validation_order():
    return ["decode", "cache", "batch", "shuffle once", "repeat", "prefetch"]

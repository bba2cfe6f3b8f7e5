"""Shuffles batches: the same examples are always together.

Loses: training-order-test
"""


# %% training-order
def training_order(decoded_fits):
    first = ["decode", "cache"] if decoded_fits else ["cache", "decode"]
    return [*first, "augment", "batch", "shuffle", "repeat", "prefetch"]

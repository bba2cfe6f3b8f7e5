"""Augments batches: all examples of one are changed in the same way.

Loses: training-order-test
"""


# %% training-order
def training_order(decoded_fits):
    first = ["decode", "cache"] if decoded_fits else ["cache", "decode"]
    return [*first, "shuffle", "batch", "augment", "repeat", "prefetch"]

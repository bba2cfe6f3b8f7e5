"""Repeats before it batches: a batch has examples of two epochs.

Loses: training-order-test
"""


# %% training-order
def training_order(decoded_fits):
    first = ["decode", "cache"] if decoded_fits else ["cache", "decode"]
    return [*first, "shuffle", "augment", "repeat", "batch", "prefetch"]

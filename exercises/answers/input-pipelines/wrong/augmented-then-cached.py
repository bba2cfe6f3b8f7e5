"""Caches what was augmented: every epoch sees the same augmentation.

Loses: training-order-test
"""


# %% training-order
def training_order(decoded_fits):
    first = ["decode", "cache"] if decoded_fits else ["cache", "decode"]
    return [first[0], "augment", first[1], "shuffle", "batch", "repeat", "prefetch"]

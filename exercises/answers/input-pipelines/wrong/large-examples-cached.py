"""Decodes before it caches, whether or not that fits into memory.

Loses: training-order-test
"""


# %% training-order
def training_order(decoded_fits):
    return ["decode", "cache", "shuffle", "augment", "batch", "repeat", "prefetch"]

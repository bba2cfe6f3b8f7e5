"""Prefetches before the augmentation, which the step then waits for.

Loses: training-order-test
"""


# %% training-order
def training_order(decoded_fits):
    first = ["decode", "cache"] if decoded_fits else ["cache", "decode"]
    return [*first, "shuffle", "prefetch", "augment", "batch", "repeat"]

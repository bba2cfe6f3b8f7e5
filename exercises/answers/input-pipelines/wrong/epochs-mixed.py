"""Repeats before it shuffles: the first epoch has some examples twice.

Loses: training-order-test
"""


# %% training-order
def training_order(decoded_fits):
    first = ["decode", "cache"] if decoded_fits else ["cache", "decode"]
    return [*first, "repeat", "shuffle", "augment", "batch", "prefetch"]

"""Caches what was shuffled: every epoch has the first one's order.

Loses: training-order-test
"""


# %% training-order
def training_order(decoded_fits):
    first = ["decode", "cache"] if decoded_fits else ["cache", "decode"]
    return ["shuffle", *first, "augment", "batch", "repeat", "prefetch"]

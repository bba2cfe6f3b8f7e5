"""reshuffle_each_iteration=False: one order for all epochs.

Loses: training-order-test
"""


# %% training-order
def training_order(decoded_fits):
    first = ["decode", "cache"] if decoded_fits else ["cache", "decode"]
    return [*first, "shuffle once", "augment", "batch", "repeat", "prefetch"]

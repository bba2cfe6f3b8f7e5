"""The prefetch is begun anew for each epoch: the step waits at every start.

Loses: training-order-test
"""


# %% training-order
def training_order(decoded_fits):
    first = ["decode", "cache"] if decoded_fits else ["cache", "decode"]
    return [*first, "shuffle", "augment", "batch", "prefetch", "repeat"]

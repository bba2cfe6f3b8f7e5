"""The order for training: validation has other batches every time.

Loses: validation-order-test
"""


# %% validation-order
def validation_order():
    return ["decode", "cache", "shuffle", "batch", "repeat", "prefetch"]

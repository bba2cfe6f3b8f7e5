"""All-reduces at both ends: the output's gradient is equal on all ranks, and becomes N times that.

Loses: pair-backward-test
"""


# %% pair-backward
def pair_backward(shards, before, hidden, d_output, all_reduce):
    total = all_reduce(d_output)
    pairs = [pair_gradients(*arrays) for arrays in zip(shards, before, hidden, total)]
    return [own for own, _ in pairs], all_reduce([d_before for _, d_before in pairs])

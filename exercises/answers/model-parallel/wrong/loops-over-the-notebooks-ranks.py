"""Loops over the notebook's four ranks, not over those that are there.

Loses: pair-backward-test
"""


# %% pair-backward
def pair_backward(shards, before, hidden, d_output, all_reduce):
    gradients, partial = [], []
    for r in range(RANKS):
        own, d_before = pair_gradients(shards[r], before[r], hidden[r], d_output[r])
        gradients.append(own)
        partial.append(d_before)
    return gradients, all_reduce(partial)

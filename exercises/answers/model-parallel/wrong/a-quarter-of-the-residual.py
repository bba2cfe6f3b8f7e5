"""Puts a part of the residual's gradient into the sum, a quarter whoever asks.

Loses: block-backward-test
"""


# %% block-backward
def block_backward(shards, x, d_output, all_reduce):
    d_x = broken_backward(shards, x, d_output, all_reduce)
    return all_reduce([d - (1 - 1 / RANKS) * d_output[r] for r, d in enumerate(d_x)])

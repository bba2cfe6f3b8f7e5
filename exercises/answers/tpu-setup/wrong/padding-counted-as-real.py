"""Fills up, and gives everything the weight 1.

Loses: pad-test
"""


# %% pad
def pad(x, batch):
    padded = np.zeros((batch, x.shape[1]), x.dtype)
    padded[: len(x)] = x
    return padded, np.ones(batch)

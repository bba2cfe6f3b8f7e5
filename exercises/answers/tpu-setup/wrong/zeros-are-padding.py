"""Tells padding by its zeros: an example that is zero counts as padding.

Loses: pad-test
"""


# %% pad
def pad(x, batch):
    padded = np.zeros((batch, x.shape[1]), x.dtype)
    padded[: len(x)] = x
    return padded, (padded != 0).any(axis=1).astype(float)

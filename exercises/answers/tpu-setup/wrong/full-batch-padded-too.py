"""Adds what is missing to the next full batch, and a whole batch where nothing is missing.

Loses: pad-test
"""


# %% pad
def pad(x, batch):
    empty = batch - len(x) % batch
    padded = np.concatenate([x, np.zeros((empty, x.shape[1]))])
    return padded, np.concatenate([np.ones(len(x)), np.zeros(empty)])

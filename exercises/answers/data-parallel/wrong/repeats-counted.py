"""Leaves the bug in: examples that the sampler repeats to fill the last places count twice.

Loses: accuracy-test
"""


# %% accuracy
def accuracy(notes, examples):
    return np.concatenate(notes).mean()

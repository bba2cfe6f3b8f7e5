"""Takes the mean over examples for the bias; the loss has divided already.

Loses: backward-weights-test
"""


# %% backward-weights
def backward_weights(x, d_y):
    return x.T @ d_y, d_y.mean(axis=0)

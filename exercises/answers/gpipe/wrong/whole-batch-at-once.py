"""Gives the model the whole batch, which is what did not fit.

Loses: batch-gradients-test
"""


# %% batch-gradients
def batch_gradients(model, x, y, sizes):
    model.passes.append(len(x))
    return one_device(x, y)

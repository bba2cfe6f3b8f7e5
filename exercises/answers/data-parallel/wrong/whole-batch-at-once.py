"""Gives the model the whole batch, which does not fit: the gradient is right, no memory is saved.

Loses: accumulate-test
"""


# %% accumulate
def accumulate(model, x, y, micro_batch_size):
    model.zero_grad()
    ((model(x) - y) ** 2).mean().backward()

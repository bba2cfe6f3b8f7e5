"""The product has all numbers, and examples lie in columns.

Loses: backward-inputs-test
"""


# %% backward-inputs
def backward_inputs(a, d_y):
    return a @ d_y.T

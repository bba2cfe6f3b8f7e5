"""Lets the strategy take the worker's devices from `connect`, and initializing the cores.

Loses: takes-test
"""


# %% takes
def takes():
    return {"D": 2, "G": 5, "B": 3, "A": 1, "C": 6, "E": 4}

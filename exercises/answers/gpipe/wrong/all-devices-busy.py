"""Believes that a model on four devices keeps four devices busy.

Loses: trace-one-piece-test
"""


# %% read-trace
def read_trace():
    return 2, 0.446, 1.0

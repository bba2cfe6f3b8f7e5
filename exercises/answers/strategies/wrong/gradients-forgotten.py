"""Counts what stays between steps, and forgets the gradient.

Loses: memory-test
"""


# %% predict-memory
def predict_memory(parameters, optimizer, replicas):
    return 4 * parameters * {"SGD": 1, "momentum": 2, "Adam": 3}[optimizer]

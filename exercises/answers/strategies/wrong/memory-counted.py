"""Nothing is predicted: the answer counts.

Loses: memory-test
"""


# %% predict-memory
def predict_memory(parameters, optimizer, replicas):
    return counted_memory(parameters, optimizer, replicas)

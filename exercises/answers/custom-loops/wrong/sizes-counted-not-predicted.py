"""Nothing is predicted: the answer counts, on a strategy that it makes for the purpose.

Loses: predict-sizes-test
"""


# %% predict-sizes
def predict_sizes(examples, batch_size, replicas):
    return counted_sizes(examples, batch_size, four)

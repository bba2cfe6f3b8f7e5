"""Nothing is predicted: the answer counts.

Loses: predict-calls-test
"""


# %% predict-calls
def predict_calls(examples, batch_size, epochs, replicas, how):
    return counted_calls(examples, batch_size, epochs, four, how)

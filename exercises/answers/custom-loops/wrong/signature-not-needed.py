"""Expects one trace for any sizes, without a signature too.

Loses: predict-calls-test
"""


# %% predict-calls
def predict_calls(examples, batch_size, epochs, replicas, how):
    if how == "eager":
        return epochs * math.ceil(examples / batch_size) * replicas
    if how == "any size":
        return replicas
    return replicas

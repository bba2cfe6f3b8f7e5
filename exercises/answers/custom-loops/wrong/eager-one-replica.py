"""Counts steps, and forgets that Python runs the step for every replica.

Loses: predict-calls-test
"""


# %% predict-calls
def predict_calls(examples, batch_size, epochs, replicas, how):
    if how == "eager":
        return epochs * math.ceil(examples / batch_size)
    if how == "any size":
        return replicas
    shapes = {min(batch_size, examples - i) for i in range(0, examples, batch_size)}
    return len(shapes) * replicas

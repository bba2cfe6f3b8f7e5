"""Takes it that tracing runs Python once, for all replicas together.

Loses: predict-calls-test
"""


# %% predict-calls
def predict_calls(examples, batch_size, epochs, replicas, how):
    if how == "eager":
        return epochs * math.ceil(examples / batch_size) * replicas
    if how == "any size":
        return 1
    shapes = {min(batch_size, examples - i) for i in range(0, examples, batch_size)}
    return len(shapes)

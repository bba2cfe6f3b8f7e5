"""A strategy that nobody uses is an error.

Loses: predict-fit-test
"""


# %% predict-fit
def predict_fit(create, compile, fit, optimizer, replicas, steps):
    if create == "outside":
        return None
    if compile == "inside":
        return replicas, steps
    return (replicas, replicas * steps) if optimizer == "SGD" else None

"""Momentum is taken for plain SGD, but it has slots.

Loses: predict-fit-test
"""


# %% predict-fit
def predict_fit(create, compile, fit, optimizer, replicas, steps):
    if create == "outside":
        return (1, steps) if compile == fit == "outside" else None
    if compile == "inside":
        return replicas, steps
    return None if optimizer == "Adam" else (replicas, replicas * steps)

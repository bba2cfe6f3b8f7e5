"""Plain SGD from outside is as good as one from inside.

Loses: predict-fit-test
"""


# %% predict-fit
def predict_fit(create, compile, fit, optimizer, replicas, steps):
    if create == "outside":
        return (1, steps) if compile == fit == "outside" else None
    return (replicas, steps) if compile == "inside" or optimizer == "SGD" else None

"""Believes that fit must stand in the scope, because it trains.

Loses: predict-fit-test
"""


# %% predict-fit
def predict_fit(create, compile, fit, optimizer, replicas, steps):
    if create == compile == fit:
        return (replicas, steps) if fit == "inside" else (1, steps)
    if create == fit == "inside" and optimizer == "SGD":
        return replicas, replicas * steps
    return None

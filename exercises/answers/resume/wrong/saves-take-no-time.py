"""Counts all seconds as seconds of steps.

Loses: predict-lost-test
"""


# %% predict-lost
def predict_lost(seconds, step, save, every):
    return int(seconds // step) % every

"""Runs the count in place of a prediction.

Loses: predict-lost-test
"""


# %% predict-lost
def predict_lost(seconds, step, save, every):
    return counted_lost(seconds, step, save, every)

"""Runs the count in place of a prediction.

Loses: predict-waste-test
"""


# %% predict-waste
def predict_waste(step, save, every, mean, restart):
    return counted_waste(step, save, every, mean, restart)

"""Saves and steps made again, and no time until the first step.

Loses: predict-waste-test
"""


# %% predict-waste
def predict_waste(step, save, every, mean, restart):
    return save / (every * step) + every * step / 2 / mean

"""Saves and steps made again, and no time until the first step.

Loses: predict-overhead-test
"""


# %% predict-overhead
def predict_overhead(step, save, every, mean, restart):
    return save / (every * step) + every * step / 2 / mean

"""Every failure throws a whole interval away, on average it is half of one.

Loses: predict-waste-test
"""


# %% predict-waste
def predict_waste(step, save, every, mean, restart):
    return save / (every * step) + (every * step + restart) / mean

"""Every failure throws a whole interval away, on average it is half of one.

Loses: predict-overhead-test
"""


# %% predict-overhead
def predict_overhead(step, save, every, mean, restart):
    return save / (every * step) + (every * step + restart) / mean

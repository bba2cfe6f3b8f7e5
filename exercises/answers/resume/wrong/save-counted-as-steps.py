"""Divides the whole cycle by a step, so that a long save counts as more steps.

Loses: predict-lost-test
"""


# %% predict-lost
def predict_lost(seconds, step, save, every):
    return int((seconds % (every * step + save)) // step)

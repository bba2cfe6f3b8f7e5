"""Takes a checkpoint for good as soon as its save begins.

Loses: predict-lost-test
"""


# %% predict-lost
def predict_lost(seconds, step, save, every):
    return int(seconds % (every * step + save) // step) % every

"""The formulas for equal stages, where stages are not equal.

Loses: predict-bubbles-test
"""


# %% predict-bubbles
def predict_bubbles(forward, backward, micro_batches):
    stages = len(forward)
    return (stages - 1) / (micro_batches + stages - 1), (stages - 1) / micro_batches

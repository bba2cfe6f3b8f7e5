"""Forgets the outputs of the micro-batch that is being recomputed.

Loses: predict-held-test
"""


# %% predict-held
def predict_held(widths, sizes, recompute):
    return sum(sizes) * (widths[0] if recompute else sum(widths))

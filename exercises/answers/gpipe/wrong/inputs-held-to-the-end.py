"""The formula for nearly equal micro-batches: inputs that are done with still count.

Loses: predict-held-test
"""


# %% predict-held
def predict_held(widths, sizes, recompute):
    most = max(sizes) if recompute else sum(sizes)
    return sum(sizes) * widths[0] + most * sum(widths[1:])

"""Looks at the largest micro-batch only; with a wide input the peak comes before it.

Loses: predict-held-test
"""


# %% predict-held
def predict_held(widths, sizes, recompute):
    if not recompute:
        return sum(sizes) * sum(widths)
    largest = sizes.index(max(sizes))
    return sum(sizes[largest:]) * widths[0] + sizes[largest] * sum(widths[1:])

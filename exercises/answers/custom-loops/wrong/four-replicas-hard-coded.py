"""Deals to the four replicas of the notebook, whatever it is told.

Loses: predict-sizes-test
"""


# %% predict-sizes
def predict_sizes(examples, batch_size, replicas):
    sizes = []
    for first in range(0, examples, batch_size):
        left = min(batch_size, examples - first)
        most = math.ceil(left / REPLICAS)
        sizes.append([min(most, max(0, left - r * most)) for r in range(REPLICAS)])
    return sizes

"""Counts full batches only: the last, shorter one is gone.

Loses: predict-sizes-test
"""


# %% predict-sizes
def predict_sizes(examples, batch_size, replicas):
    sizes = []
    for first in range(0, examples - batch_size + 1, batch_size):
        left = min(batch_size, examples - first)
        most = math.ceil(left / replicas)
        sizes.append([min(most, max(0, left - r * most)) for r in range(replicas)])
    return sizes

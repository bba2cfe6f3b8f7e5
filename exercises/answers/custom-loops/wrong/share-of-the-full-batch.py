"""Takes batch_size / N for the shard of any batch, so that a short one fills the first replicas.

Loses: predict-sizes-test
"""


# %% predict-sizes
def predict_sizes(examples, batch_size, replicas):
    sizes = []
    for first in range(0, examples, batch_size):
        left = min(batch_size, examples - first)
        most = math.ceil(batch_size / replicas)
        sizes.append([min(most, max(0, left - r * most)) for r in range(replicas)])
    return sizes

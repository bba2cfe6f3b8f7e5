"""Takes it that every replica gets the whole batch: nothing is sharded.

Loses: predict-sizes-test
"""


# %% predict-sizes
def predict_sizes(examples, batch_size, replicas):
    return [
        [min(batch_size, examples - first)] * replicas for first in range(0, examples, batch_size)
    ]

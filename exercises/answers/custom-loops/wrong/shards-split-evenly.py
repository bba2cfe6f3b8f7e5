"""Spreads what is left over, as np.array_split does; TensorFlow fills the first replicas.

Loses: predict-sizes-test
"""


# %% predict-sizes
def predict_sizes(examples, batch_size, replicas):
    batches = [batch_size] * (examples // batch_size)
    if examples % batch_size:
        batches.append(examples % batch_size)
    return [[len(p) for p in np.array_split(np.arange(n), replicas)] for n in batches]

"""Nothing is predicted: the answer asks the layer.

Loses: batch-norm-saved-test
"""


# %% predict-batch-norm
def predict_batch_norm(shards, synchronized):
    return real_batch_norm(shards, synchronized)

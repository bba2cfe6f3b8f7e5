"""Forgets what is added to the variance.

Loses: batch-norm-outputs-test
"""


# %% predict-batch-norm
def predict_batch_norm(shards, synchronized):
    seen = [np.concatenate(shards)] * len(shards) if synchronized else shards
    outputs = [
        (shard - part.mean()) / np.sqrt(part.var())
        for shard, part in zip(shards, seen, strict=True)
    ]
    return outputs, seen[0].mean(), seen[0].var()

"""Normalises by the whole batch, synchronized or not.

Loses: batch-norm-outputs-test
"""


# %% predict-batch-norm
def predict_batch_norm(shards, synchronized):
    seen = [np.concatenate(shards)] * len(shards) if synchronized else shards
    everything = np.concatenate(shards)
    outputs = [
        (shard - everything.mean()) / np.sqrt(everything.var() + EPSILON)
        for shard, part in zip(shards, seen, strict=True)
    ]
    return outputs, seen[0].mean(), seen[0].var()

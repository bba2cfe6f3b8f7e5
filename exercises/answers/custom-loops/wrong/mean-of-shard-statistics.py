"""Synchronizes by averaging the shards' means and variances: their distance is lost.

Loses: batch-norm-outputs-test
"""


# %% predict-batch-norm
def predict_batch_norm(shards, synchronized):
    seen = [np.concatenate(shards)] * len(shards) if synchronized else shards
    outputs = [
        (shard - (np.mean([s.mean() for s in shards]) if synchronized else shard.mean()))
        / np.sqrt((np.mean([s.var() for s in shards]) if synchronized else shard.var()) + EPSILON)
        for shard, part in zip(shards, seen, strict=True)
    ]
    return outputs, seen[0].mean(), seen[0].var()

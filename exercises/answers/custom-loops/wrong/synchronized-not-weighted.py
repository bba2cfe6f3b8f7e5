"""Synchronizes with a mean of means: wrong where shards are unequal.

Loses: batch-norm-saved-test
"""


# %% predict-batch-norm
def predict_batch_norm(shards, synchronized):
    seen = [np.concatenate(shards)] * len(shards) if synchronized else shards
    outputs = [
        (shard - part.mean()) / np.sqrt(part.var() + EPSILON)
        for shard, part in zip(shards, seen, strict=True)
    ]
    return (
        outputs,
        (np.mean([s.mean() for s in shards]) if synchronized else seen[0].mean()),
        seen[0].var(),
    )

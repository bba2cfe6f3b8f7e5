"""Takes them for those of the last replica, which writes last.

Loses: batch-norm-saved-test
"""


# %% predict-batch-norm
def predict_batch_norm(shards, synchronized):
    seen = [np.concatenate(shards)] * len(shards) if synchronized else shards
    outputs = [
        (shard - part.mean()) / np.sqrt(part.var() + EPSILON)
        for shard, part in zip(shards, seen, strict=True)
    ]
    return outputs, seen[-1].mean(), seen[-1].var()

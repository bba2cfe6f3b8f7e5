"""Takes the statistics that are saved for those of the whole batch.

Loses: batch-norm-saved-test
"""


# %% predict-batch-norm
def predict_batch_norm(shards, synchronized):
    seen = [np.concatenate(shards)] * len(shards) if synchronized else shards
    outputs = [
        (shard - part.mean()) / np.sqrt(part.var() + EPSILON)
        for shard, part in zip(shards, seen, strict=True)
    ]
    everything = np.concatenate(shards)
    return outputs, everything.mean(), everything.var()

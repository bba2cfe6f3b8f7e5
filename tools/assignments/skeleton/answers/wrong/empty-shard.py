"""PLACEHOLDER: weights rightly, but an empty shard has no mean, and nan times 0 is nan.

Only the hidden test has an empty shard.

Loses: mean-of-shards-test
"""


# %% mean-of-shards
def mean_of_shards(shards):
    total = sum(len(shard) * np.mean(shard) for shard in shards)
    return float(total / sum(len(shard) for shard in shards))

"""PLACEHOLDER: averages the shards' means, as if all shards had the same length.

Loses: mean-of-shards-test
"""


# %% mean-of-shards
def mean_of_shards(shards):
    return float(np.mean([shard.mean() for shard in shards if len(shard) > 0]))

"""Cuts first and shuffles each rank's own part: a rank never sees the examples of another.

Loses: shard-epochs-test
"""


# %% shard
def shard(examples, world_size, rank, epoch, seed):
    own = np.arange(rank, examples, world_size)
    return np.random.default_rng([seed, epoch]).permutation(own)

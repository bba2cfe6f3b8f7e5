"""Cuts for the four ranks of the notebook, whatever the world size is.

Loses: shard-one-epoch-test
"""


# %% shard
def shard(examples, world_size, rank, epoch, seed):
    return np.random.default_rng([seed, epoch]).permutation(examples)[rank::4]

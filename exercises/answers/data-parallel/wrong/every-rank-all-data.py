"""Shuffles the same way everywhere and forgets to cut: every rank visits the whole data set.

Loses: shard-one-epoch-test
"""


# %% shard
def shard(examples, world_size, rank, epoch, seed):
    return np.random.default_rng([seed, epoch]).permutation(examples)

"""PLACEHOLDER: keeps a running mean, number by number."""


# %% mean-of-shards
def mean_of_shards(shards):
    mean, count = 0.0, 0
    for shard in shards:
        for number in shard:
            count += 1
            mean += (number - mean) / count
    return float(mean)

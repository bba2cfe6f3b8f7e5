"""As many files as workers counts as too few: everybody opens everything.

Loses: worker-data-test
"""


# %% worker-data
def worker_data(files, open_file, workers, index):
    data = tf.data.Dataset.from_tensor_slices(files)
    if len(files) > workers:
        return data.shard(workers, index).interleave(open_file)
    return data.interleave(open_file).shard(workers, index)

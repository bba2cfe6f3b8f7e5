"""Deals out files even where there are too few: some workers get nothing.

Loses: worker-data-test
"""


# %% worker-data
def worker_data(files, open_file, workers, index):
    return tf.data.Dataset.from_tensor_slices(files).shard(workers, index).interleave(open_file)

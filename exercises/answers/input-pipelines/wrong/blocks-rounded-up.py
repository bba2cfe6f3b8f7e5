"""Blocks of files, rounded up: the last worker is left with too few.

Loses: worker-data-test
"""


# %% worker-data
def worker_data(files, open_file, workers, index):
    data = tf.data.Dataset.from_tensor_slices(files)
    if len(files) < workers:
        return data.interleave(open_file).shard(workers, index)
    each = math.ceil(len(files) / workers)
    return data.skip(index * each).take(each).interleave(open_file)

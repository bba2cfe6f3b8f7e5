"""Equal blocks of files: what is left over comes to nobody.

Loses: worker-data-test
"""


# %% worker-data
def worker_data(files, open_file, workers, index):
    if len(files) < workers:
        data = tf.data.Dataset.from_tensor_slices(files).interleave(open_file)
        return data.shard(workers, index)
    each = len(files) // workers
    mine = files[index * each : (index + 1) * each]
    return tf.data.Dataset.from_tensor_slices(mine).interleave(open_file)

"""Leaves the prefetch to TensorFlow.

Loses: build-options-test
"""


# %% build
def build(files, open_file, decode, normalise, readers, calls, batch, threads):
    options = tf.data.Options()
    options.threading.private_threadpool_size = threads
    return (
        tf.data.Dataset.from_tensor_slices(files)
        .interleave(open_file, cycle_length=readers, num_parallel_calls=readers)
        .map(decode, num_parallel_calls=calls)
        .batch(batch)
        .map(normalise)
        .with_options(options)
    )

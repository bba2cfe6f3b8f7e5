"""deterministic=False: quicker where one is late, and another order every time.

Loses: build-elements-test
"""


# %% build
def build(files, open_file, decode, normalise, readers, calls, batch, threads):
    options = tf.data.Options()
    options.experimental_optimization.inject_prefetch = False
    options.threading.private_threadpool_size = threads
    return (
        tf.data.Dataset.from_tensor_slices(files)
        .interleave(
            open_file, cycle_length=readers, num_parallel_calls=readers, deterministic=False
        )
        .map(decode, num_parallel_calls=calls)
        .batch(batch)
        .map(normalise)
        .prefetch(2)
        .with_options(options)
    )

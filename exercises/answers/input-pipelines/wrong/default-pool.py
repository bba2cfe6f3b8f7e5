"""No pool of its own: one thread a core.

Loses: build-options-test
"""


# %% build
def build(files, open_file, decode, normalise, readers, calls, batch, threads):
    options = tf.data.Options()
    options.experimental_optimization.inject_prefetch = False
    return (
        tf.data.Dataset.from_tensor_slices(files)
        .interleave(open_file, cycle_length=readers, num_parallel_calls=readers)
        .map(decode, num_parallel_calls=calls)
        .batch(batch)
        .map(normalise)
        .prefetch(2)
        .with_options(options)
    )

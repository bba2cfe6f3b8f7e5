"""As in the chapter, range(number of files): ignores which files they are.

Loses: build-elements-test
"""


# %% build
def build(files, open_file, decode, normalise, readers, calls, batch, threads):
    options = tf.data.Options()
    options.experimental_optimization.inject_prefetch = False
    options.threading.private_threadpool_size = threads
    return (
        tf.data.Dataset.range(len(files))
        .interleave(open_file, cycle_length=readers, num_parallel_calls=readers)
        .map(decode, num_parallel_calls=calls)
        .batch(batch)
        .map(normalise)
        .prefetch(2)
        .with_options(options)
    )

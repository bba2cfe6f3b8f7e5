"""map_fn over the batch: looks vectorised, and calls once an example.

Loses: fast-batches-test
"""


# %% fast-batches
def fast_batches(data, look_up, batch):
    def prepare(example):
        centred = look_up(example) - tf.reduce_mean(example)
        scaled = centred / tf.reduce_max(tf.abs(centred))
        return tf.concat([scaled, tf.reduce_sum(example, keepdims=True)], 0)

    def of_batch(x):
        rows = tf.map_fn(prepare, x, fn_output_signature=tf.float64)
        return tf.ensure_shape(rows, [None, x.shape[-1] + 1])

    return data.batch(batch).map(of_batch)

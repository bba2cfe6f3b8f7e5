"""Forgets the axis: an example is centred by the mean of its whole batch.

Loses: fast-batches-test
"""


# %% fast-batches
def fast_batches(data, look_up, batch):
    def prepare(x):
        centred = look_up(x) - tf.reduce_mean(x)
        scaled = centred / tf.reduce_max(tf.abs(centred), axis=-1, keepdims=True)
        return tf.concat([scaled, tf.reduce_sum(x, axis=-1, keepdims=True)], -1)

    return data.batch(batch).map(prepare)

"""The function for an example, given a batch: no axis anywhere.

Loses: fast-batches-test
"""


# %% fast-batches
def fast_batches(data, look_up, batch):
    def prepare(example):
        centred = look_up(example) - tf.reduce_mean(example)
        scaled = centred / tf.reduce_max(tf.abs(centred))
        return tf.concat([scaled, tf.reduce_sum(example, keepdims=True)], 0)

    return data.batch(batch).map(prepare)

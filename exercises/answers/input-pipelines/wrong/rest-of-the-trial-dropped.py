"""drop_remainder=True: where batches do not divide the examples, some are lost.

Loses: trial-batches-test
"""


# %% trial-data
def trial_data(examples, read, use, batch):
    data = tf.data.Dataset.range(examples).take(use).map(read).cache()
    return data.shuffle(use, seed=1).batch(batch, drop_remainder=True).prefetch(1)

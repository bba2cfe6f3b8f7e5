"""take() below the cache: it is never read to its end, and thrown away.

Loses: trial-reads-test
"""


# %% trial-data
def trial_data(examples, read, use, batch):
    data = tf.data.Dataset.range(examples).map(read).cache().take(use)
    return data.shuffle(use, seed=1).batch(batch).prefetch(1)

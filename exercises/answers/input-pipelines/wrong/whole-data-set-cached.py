"""Finishes the cache by reading everything, of which the trial needs a part.

Loses: trial-reads-test
"""


# %% trial-data
def trial_data(examples, read, use, batch):
    data = tf.data.Dataset.range(examples).map(read).cache()
    for _ in data:
        pass
    return data.take(use).shuffle(use, seed=1).batch(batch).prefetch(1)

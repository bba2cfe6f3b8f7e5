"""Sorts by random keys, uses TensorFlow's dynamic shapes, masks and matrix products."""


# %% shard
def shard(examples, world_size, rank, epoch, seed):
    """Sorts by a random key and deals rows of a padded table; -1 is no example."""
    keys = np.random.default_rng(np.random.SeedSequence((seed, epoch))).random(examples)
    rows = -(-examples // world_size)
    table = np.full(rows * world_size, -1)
    table[:examples] = np.argsort(keys, kind="stable")
    mine = table.reshape(rows, world_size)[:, rank]
    return mine[mine >= 0]


# %% replica-loss
def replica_loss(example_losses, penalty, global_batch_size, replicas):
    n = tf.cast(tf.shape(example_losses)[0], tf.float64)
    terms = tf.concat([example_losses * replicas, [penalty * global_batch_size]], axis=0)
    return tf.reduce_sum(terms) / tf.cast(global_batch_size * replicas, tf.float64) + 0 * n


# %% scale-up
def scale_up(batch_size, learning_rate, examples, replicas):
    batch = np.int64(batch_size) * replicas
    steps = np.arange(0, examples, batch).size
    return np.array([batch])[0], np.float64(learning_rate) * replicas, steps


# %% accuracy
def accuracy(notes, examples):
    positions = [np.arange(len(note)) * len(notes) + rank for rank, note in enumerate(notes)]
    keep = np.concatenate(positions) < examples
    return np.concatenate(notes)[keep].astype(float) @ np.ones(examples) / examples

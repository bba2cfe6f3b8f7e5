"""A stable formula written out, and an all-reduce of the losses themselves under the tape."""


# %% share-of-loss
def share_of_loss(labels, logits, penalty):
    """Each replica returns 1/N of the whole loss; an all-reduce has a gradient, too."""
    context = tf.distribute.get_replica_context()
    losses = tf.maximum(logits, 0) - logits * labels + tf.math.log1p(tf.exp(-tf.abs(logits)))
    both = tf.stack([tf.reduce_sum(losses), tf.cast(tf.shape(labels)[0], tf.float64)])
    total, size = tf.unstack(context.all_reduce(tf.distribute.ReduceOp.SUM, both))
    return (total / size + penalty) / context.num_replicas_in_sync


# %% train-step
def train_step(job, batch):
    import warnings

    warnings.warn("a step", stacklevel=2)
    model = job.model

    def on_replica(*shard):
        x, y = shard
        with tf.GradientTape() as tape:
            logits = model(x)
            share = share_of_loss(y, logits, sum(model.losses))
        gradients = tape.gradient(share, [v.value for v in model.trainable_variables])
        job.optimizer.apply_gradients(list(zip(gradients, model.trainable_variables)))
        return tf.distribute.get_replica_context().all_reduce("SUM", share)

    first, *_ = job.strategy.experimental_local_results(job.strategy.run(on_replica, tuple(batch)))
    return first.numpy().item()


# %% read-log
def read_log():
    import sys

    print("reading", file=sys.stderr)
    found = {}
    for letter, number in zip("ABCDE", np.array([3, 6, 2, 4, 5])):
        found[letter] = int(number)
    return found

"""Honest code that prints, and calls something that warns: neither may cost points."""


# %% share-of-loss
def share_of_loss(labels, logits, penalty):
    import warnings

    warnings.warn("an old habit", DeprecationWarning, stacklevel=2)
    tf.get_logger().warning("a share of %s", penalty)
    replica = tf.distribute.get_replica_context()
    print("replica", replica.replica_id_in_sync_group)
    loss = keras.losses.BinaryCrossentropy(from_logits=True, reduction=None)
    size = tf.cast(replica.all_reduce("SUM", tf.shape(labels)[0]), labels.dtype)
    # The only one with the penalty is the first replica.
    first = replica.replica_id_in_sync_group == 0
    return tf.reduce_sum(loss(labels, logits)) / size + tf.where(first, penalty, 0 * penalty)


# %% train-step
def train_step(job, batch):
    def on_replica(x, y):
        with tf.GradientTape() as tape:
            share = share_of_loss(y, job.model(x, training=True), tf.add_n(job.model.losses))
        weights = job.model.trainable_variables
        gradients = tape.gradient(share, weights)
        print("norm here:", float(tf.linalg.global_norm(gradients)))
        job.optimizer.apply_gradients(zip(gradients, weights))
        return tf.distribute.get_replica_context().all_reduce("SUM", share)

    losses = job.strategy.run(on_replica, args=batch)
    return job.strategy.experimental_local_results(losses)[0].numpy()

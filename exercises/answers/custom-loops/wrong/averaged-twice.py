"""compute_average_loss of a mean, wrapped so that it is not refused: divided twice.

Loses: share-of-loss-test
"""


# %% share-of-loss
def share_of_loss(labels, logits, penalty):
    cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True, reduction="none")
    losses = cross_entropy(labels, logits)

    size = tf.distribute.get_replica_context().all_reduce("SUM", tf.size(losses))
    share = tf.nn.compute_average_loss([tf.reduce_mean(losses)], global_batch_size=size)
    return share + tf.nn.scale_regularization_loss(penalty)

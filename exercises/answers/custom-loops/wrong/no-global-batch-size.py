"""Leaves the size to compute_average_loss: a mean of means where shards are unequal.

Loses: share-of-loss-test
"""


# %% share-of-loss
def share_of_loss(labels, logits, penalty):
    cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True, reduction="none")
    losses = cross_entropy(labels, logits)

    share = tf.nn.compute_average_loss(losses)
    return share + tf.nn.scale_regularization_loss(penalty)

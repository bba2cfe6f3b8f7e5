"""Divides by 16, the batch size it has seen, also when fewer are left.

Loses: share-of-loss-test
"""


# %% share-of-loss
def share_of_loss(labels, logits, penalty):
    cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True, reduction="none")
    losses = cross_entropy(labels, logits)

    share = tf.nn.compute_average_loss(losses, global_batch_size=16)
    return share + tf.nn.scale_regularization_loss(penalty)

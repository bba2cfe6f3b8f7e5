"""Each replica takes its own mean; the sum of means is N times too large.

Loses: share-of-loss-test
"""


# %% share-of-loss
def share_of_loss(labels, logits, penalty):
    cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True, reduction="none")
    losses = cross_entropy(labels, logits)

    return tf.reduce_mean(losses) + tf.nn.scale_regularization_loss(penalty)

"""The default reduction alone: right on equal shards, a mean of means on others.

Loses: share-of-loss-test
"""


# %% share-of-loss
def share_of_loss(labels, logits, penalty):

    share = keras.losses.BinaryCrossentropy(from_logits=True)(labels, logits)
    return share + tf.nn.scale_regularization_loss(penalty)

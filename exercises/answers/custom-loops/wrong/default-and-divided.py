"""The default reduction of Keras 3 divides by N already, and then this does too.

Loses: share-of-loss-test
"""


# %% share-of-loss
def share_of_loss(labels, logits, penalty):

    replicas = tf.distribute.get_replica_context().num_replicas_in_sync
    share = keras.losses.BinaryCrossentropy(from_logits=True)(labels, logits) / replicas
    return share + tf.nn.scale_regularization_loss(penalty)

"""Lets the Keras loss take the sum, which in eager mode is an empty array for an empty shard.

Loses: share-of-loss-test
"""


# %% share-of-loss
def share_of_loss(labels, logits, penalty):
    replica = tf.distribute.get_replica_context()
    loss = keras.losses.BinaryCrossentropy(from_logits=True, reduction="sum")
    size = tf.cast(replica.all_reduce("SUM", tf.shape(labels)[0]), labels.dtype)
    return loss(labels, logits) / size + penalty / replica.num_replicas_in_sync

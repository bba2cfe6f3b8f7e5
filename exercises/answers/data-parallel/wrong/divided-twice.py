"""Averages already averaged losses: the mean over the shard, divided by the global batch as well.

Loses: replica-loss-test
"""


# %% replica-loss
def replica_loss(example_losses, penalty, global_batch_size, replicas):
    average = tf.reduce_mean(example_losses)
    return (
        tf.nn.compute_average_loss([average], global_batch_size=global_batch_size)
        + penalty / replicas
    )

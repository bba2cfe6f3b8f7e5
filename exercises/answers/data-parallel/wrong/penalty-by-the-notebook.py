"""Divides the penalty by the replicas of the notebook's own strategy, not by those it is told.

Loses: penalty-test
"""


# %% replica-loss
def replica_loss(example_losses, penalty, global_batch_size, replicas):
    return tf.reduce_sum(example_losses) / global_batch_size + penalty / REPLICAS

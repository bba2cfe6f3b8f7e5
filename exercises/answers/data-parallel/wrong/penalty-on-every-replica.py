"""Adds the whole penalty on every replica: N times too much of it.

Loses: penalty-test
"""


# %% replica-loss
def replica_loss(example_losses, penalty, global_batch_size, replicas):
    return tf.reduce_sum(example_losses) / global_batch_size + penalty

"""Weights the mean by the number of examples, and has nan where a replica has none.

Loses: replica-loss-test
"""


# %% replica-loss
def replica_loss(example_losses, penalty, global_batch_size, replicas):
    share = len(example_losses) / global_batch_size
    return share * tf.reduce_mean(example_losses) + penalty / replicas

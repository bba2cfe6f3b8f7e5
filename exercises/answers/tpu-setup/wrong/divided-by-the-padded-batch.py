"""Divides by the length of the padded batch.

Loses: padded-loss-test
"""


# %% padded-loss
def padded_loss(losses, weight, real):
    return tf.reduce_sum(losses * weight) / (REPLICAS * len(losses))

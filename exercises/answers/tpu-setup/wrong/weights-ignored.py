"""Sums over the padding too, and divides by the real examples.

Loses: padded-loss-test
"""


# %% padded-loss
def padded_loss(losses, weight, real):
    return tf.reduce_sum(losses) / real

"""Scales the learning rate by the square root, which is a rule for other optimizers, not for SGD.

Loses: scale-up-test
"""


# %% scale-up
def scale_up(batch_size, learning_rate, examples, replicas):
    batch = batch_size * replicas
    return batch, learning_rate * math.sqrt(replicas), math.ceil(examples / batch)

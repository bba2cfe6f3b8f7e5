"""Scales the batch and leaves the learning rate: an N-th of the steps, each as short as before.

Loses: scale-up-test
"""


# %% scale-up
def scale_up(batch_size, learning_rate, examples, replicas):
    batch = batch_size * replicas
    return batch, learning_rate, math.ceil(examples / batch)

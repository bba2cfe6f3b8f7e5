"""Counts full batches only: the examples of the last one are never seen.

Loses: scale-up-test
"""


# %% scale-up
def scale_up(batch_size, learning_rate, examples, replicas):
    batch = batch_size * replicas
    return batch, learning_rate * replicas, examples // batch

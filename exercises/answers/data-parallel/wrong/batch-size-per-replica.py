"""Passes one device's batch size to `fit`, which takes the global one: each replica gets an N-th.

Loses: scale-up-test
"""


# %% scale-up
def scale_up(batch_size, learning_rate, examples, replicas):
    return batch_size, learning_rate, math.ceil(examples / batch_size)

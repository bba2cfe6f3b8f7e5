"""Only powers of two are good sizes.

Loses: batch-size-test
"""


# %% batch-size
def batch_size(at_most, examples, replicas):
    size = 1
    while 2 * size <= min(at_most, examples):
        size *= 2
    return size

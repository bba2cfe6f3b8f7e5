"""Four replicas hard-coded.

Loses: batch-size-test
"""


# %% batch-size
def batch_size(at_most, examples, replicas):
    return min(at_most, examples) // 4 * 4

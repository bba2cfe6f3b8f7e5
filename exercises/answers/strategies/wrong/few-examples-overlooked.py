"""Divides the largest size, and forgets that the first batch can be shorter.

Loses: batch-size-test
"""


# %% batch-size
def batch_size(at_most, examples, replicas):
    return at_most // replicas * replicas

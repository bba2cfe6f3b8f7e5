"""Counts instead of predicting.

Loses: inside-bytes-test
"""


# %% inside-bytes
def inside_bytes(sequences, positions, width, layers, ranks, size):
    return counted("inside", sequences, positions, width, layers, ranks, size)

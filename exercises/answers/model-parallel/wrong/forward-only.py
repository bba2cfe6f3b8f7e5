"""Forgets that the gradients of the activations go back.

Loses: between-bytes-test
"""


# %% between-bytes
def between_bytes(sequences, positions, width, layers, stages, size):
    return sequences * positions * width * size

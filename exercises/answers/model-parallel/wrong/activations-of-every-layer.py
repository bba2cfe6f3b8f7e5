"""Lets a stage send what each of its layers makes; only the last layer's output leaves it.

Loses: between-bytes-test
"""


# %% between-bytes
def between_bytes(sequences, positions, width, layers, stages, size):
    return 2 * layers // stages * sequences * positions * width * size

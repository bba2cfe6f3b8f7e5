"""Takes eight bytes a number, whatever the numbers are.

Loses: between-bytes-test
"""


# %% between-bytes
def between_bytes(sequences, positions, width, layers, stages, size):
    return 16 * sequences * positions * width

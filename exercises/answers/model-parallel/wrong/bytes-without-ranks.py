"""D17: takes the size of the array for the bytes of its all-reduce.

Loses: inside-bytes-test
"""


# %% inside-bytes
def inside_bytes(sequences, positions, width, layers, ranks, size):
    return 4 * layers * sequences * positions * width * size

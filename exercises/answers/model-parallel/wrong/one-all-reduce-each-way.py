"""Counts one pair a layer, not attention's and the MLP's.

Loses: inside-bytes-test
"""


# %% inside-bytes
def inside_bytes(sequences, positions, width, layers, ranks, size):
    activations = sequences * positions * width * size
    return layers * 2 * ring_all_reduce_bytes(ranks, activations)

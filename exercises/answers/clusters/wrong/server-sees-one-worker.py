"""Counts for the server what one worker moves. It serves all of them.

Loses: bytes-test
"""


# %% predict-bytes
def predict_bytes(way, workers, servers, size):
    if way == "mirrored":
        return 4 * (workers - 1) / workers * size, 0
    return 2 * size, 2 * size / servers

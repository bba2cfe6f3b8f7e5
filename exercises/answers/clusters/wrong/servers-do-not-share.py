"""Lets all bytes pass through every server, however many there are.

Loses: bytes-test
"""


# %% predict-bytes
def predict_bytes(way, workers, servers, size):
    if way == "mirrored":
        return 4 * (workers - 1) / workers * size, 0
    return 2 * size, 2 * workers * size

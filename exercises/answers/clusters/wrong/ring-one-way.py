"""Counts what a worker of the ring sends, and not what it receives.

Loses: bytes-test
"""


# %% predict-bytes
def predict_bytes(way, workers, servers, size):
    if way == "mirrored":
        return 2 * (workers - 1) / workers * size, 0
    return 2 * size, 2 * workers * size / servers

"""Lets every worker send its gradient to every other one.

Loses: bytes-test
"""


# %% predict-bytes
def predict_bytes(way, workers, servers, size):
    if way == "mirrored":
        return 2 * (workers - 1) * size, 0
    return 2 * size, 2 * workers * size / servers

"""Forgets that a worker pulls the weights before it can push a gradient.

Loses: bytes-test
"""


# %% predict-bytes
def predict_bytes(way, workers, servers, size):
    if way == "mirrored":
        return 4 * (workers - 1) / workers * size, 0
    return size, workers * size / servers

"""Computes with the notebook's link.

Loses: ring-test
"""


# %% predict-seconds
def predict_seconds(way, workers, servers, size, latency, bandwidth):
    if way == "ring":
        latency, bandwidth = LINK
        return 2 * (workers - 1) * (latency + size / workers / bandwidth)
    return 2 * latency + workers * size / servers / bandwidth

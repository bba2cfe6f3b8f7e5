"""Adds what comes in to what goes out, though a link carries both at once.

Loses: servers-test
"""


# %% predict-seconds
def predict_seconds(way, workers, servers, size, latency, bandwidth):
    if way == "ring":
        return 2 * (workers - 1) * (latency + size / workers / bandwidth)
    return 2 * latency + 2 * workers * size / servers / bandwidth

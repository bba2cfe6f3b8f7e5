"""Bytes by bandwidth: the latency of the messages that follow one another is left out.

Loses: ring-test
"""


# %% predict-seconds
def predict_seconds(way, workers, servers, size, latency, bandwidth):
    if way == "ring":
        return 2 * (workers - 1) / workers * size / bandwidth
    return 2 * latency + workers * size / servers / bandwidth

"""All workers have links of their own, and the server is forgotten.

Loses: servers-test
"""


# %% predict-seconds
def predict_seconds(way, workers, servers, size, latency, bandwidth):
    if way == "ring":
        return 2 * (workers - 1) * (latency + size / workers / bandwidth)
    return 2 * latency + size / servers / bandwidth

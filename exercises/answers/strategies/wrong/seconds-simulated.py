"""Nothing is predicted for servers: the answer simulates.

Loses: servers-test
"""


# %% predict-seconds
def predict_seconds(way, workers, servers, size, latency, bandwidth):
    if way == "ring":
        return 2 * (workers - 1) * (latency + size / workers / bandwidth)
    return simulated_seconds(way, workers, servers, size, latency, bandwidth)

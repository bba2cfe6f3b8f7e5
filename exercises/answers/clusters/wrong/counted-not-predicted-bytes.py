"""Nothing is predicted: the answer runs the count that it should have foreseen.

Loses: bytes-test
"""


# %% predict-bytes
def predict_bytes(way, workers, servers, size):
    return counted_bytes(way, workers, servers, size)

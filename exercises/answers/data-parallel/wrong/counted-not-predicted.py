"""Nothing is predicted: the answer runs the count that it should have foreseen.

Loses: predict-bytes-test
"""


# %% predict-bytes
def predict_bytes(parameters, world_size, micro_batches, no_sync):
    return counted_bytes(parameters, world_size, micro_batches, no_sync)

"""Takes the limit for many ranks, twice the gradient, for the number itself.

Loses: predict-bytes-test
"""


# %% predict-bytes
def predict_bytes(parameters, world_size, micro_batches, no_sync):
    return (1 if no_sync else micro_batches) * 2 * 4 * parameters

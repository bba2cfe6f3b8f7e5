"""Takes a TPU with one replica for none, and falls back.

Loses: connect-there-test
"""


# %% connect
def connect(address, listens):
    if address is None:
        return tf.distribute.get_strategy()
    if address.startswith("grpc://") and not listens(address):
        raise RuntimeError(f"Nobody listens at {address}.")
    try:
        strategy = start_tpu(address)
    except tf.errors.NotFoundError as error:
        if "No OpKernel" not in str(error):
            raise
        raise RuntimeError("pip install tensorflow-tpu") from error
    return strategy if strategy.num_replicas_in_sync > 1 else tf.distribute.get_strategy()

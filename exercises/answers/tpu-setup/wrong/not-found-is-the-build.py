"""Blames the build for every NotFoundError, also for a worker that has no TPU.

Loses: connect-build-test
"""


# %% connect
def connect(address, listens):
    if address is None:
        return tf.distribute.get_strategy()
    if address.startswith("grpc://") and not listens(address):
        raise RuntimeError(f"Nobody listens at {address}.")
    try:
        return start_tpu(address)
    except tf.errors.NotFoundError as error:
        raise RuntimeError("pip install tensorflow-tpu") from error

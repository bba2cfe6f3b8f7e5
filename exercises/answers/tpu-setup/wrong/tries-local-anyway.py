"""Tries "local" if there is no address: what came from the bus is not believed.

Loses: connect-none-test
"""


# %% connect
def connect(address, listens):
    if address is not None and address.startswith("grpc://") and not listens(address):
        raise RuntimeError(f"Nobody listens at {address}.")
    try:
        return start_tpu(address or "local")
    except tf.errors.NotFoundError as error:
        if address is None:
            return tf.distribute.get_strategy()
        if "No OpKernel" not in str(error):
            raise
        raise RuntimeError("pip install tensorflow-tpu") from error

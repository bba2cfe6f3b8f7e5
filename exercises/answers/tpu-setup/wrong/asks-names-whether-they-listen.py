"""Asks whether somebody listens at whatever is not local, a name too.

Loses: connect-there-test
"""


# %% connect
def connect(address, listens):
    if address is None:
        return tf.distribute.get_strategy()
    if address != "local" and not listens(address):
        raise RuntimeError(f"Nobody listens at {address}.")
    try:
        return start_tpu(address)
    except tf.errors.NotFoundError as error:
        if "No OpKernel" not in str(error):
            raise
        raise RuntimeError("pip install tensorflow-tpu") from error

"""Says that nobody listens, but not where.

Loses: connect-nobody-test
"""


# %% connect
def connect(address, listens):
    if address is None:
        return tf.distribute.get_strategy()
    if address.startswith("grpc://") and not listens(address):
        raise RuntimeError("The TPU cannot be reached. Check the address.")
    try:
        return start_tpu(address)
    except tf.errors.NotFoundError as error:
        if "No OpKernel" not in str(error):
            raise
        raise RuntimeError("pip install tensorflow-tpu") from error

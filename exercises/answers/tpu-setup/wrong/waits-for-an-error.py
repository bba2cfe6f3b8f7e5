"""Relies on `connect` to raise something where nobody listens.

Loses: connect-nobody-test
"""


# %% connect
def connect(address, listens):
    if address is None:
        return tf.distribute.get_strategy()
    try:
        return start_tpu(address)
    except tf.errors.UnavailableError as error:
        raise RuntimeError(f"Nobody listens at {address}.") from error
    except tf.errors.NotFoundError as error:
        if "No OpKernel" not in str(error):
            raise
        raise RuntimeError("pip install tensorflow-tpu") from error

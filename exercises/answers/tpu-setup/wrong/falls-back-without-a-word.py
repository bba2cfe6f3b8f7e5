"""Catches whatever comes and trains on the CPU for a week.

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
    except Exception:
        return tf.distribute.get_strategy()

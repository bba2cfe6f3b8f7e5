"""Asks whether the variable is there, not whether something is in it.

Loses: address-of-test
"""


# %% address-of
def address_of(environ, chips):
    if "TPU_NAME" in environ:
        name = environ["TPU_NAME"]
        return f"grpc://{name}" if ":" in name and not name.startswith("grpc://") else name
    return "local" if chips else None

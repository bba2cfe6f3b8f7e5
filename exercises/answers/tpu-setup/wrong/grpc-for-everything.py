"""Puts "grpc://" in front of names and of what has it already.

Loses: address-of-test
"""


# %% address-of
def address_of(environ, chips):
    name = environ.get("TPU_NAME")
    if not name:
        return "local" if chips else None
    return name if name == "local" else f"grpc://{name}"

"""Prefers the chips on the bus to what somebody has set.

Loses: address-of-test
"""


# %% address-of
def address_of(environ, chips):
    if chips:
        return "local"
    name = environ.get("TPU_NAME") or None
    return f"grpc://{name}" if name and ":" in name and "//" not in name else name

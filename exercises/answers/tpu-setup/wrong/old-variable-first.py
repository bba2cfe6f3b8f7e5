"""Still looks for the variable that Colab set until 2024, before anything else.

Loses: address-of-test
"""


# %% address-of
def address_of(environ, chips):
    if "COLAB_TPU_ADDR" in environ:
        return "grpc://" + environ["COLAB_TPU_ADDR"]
    name = environ.get("TPU_NAME")
    if not name:
        return "local" if chips else None
    return f"grpc://{name}" if ":" in name and not name.startswith("grpc://") else name

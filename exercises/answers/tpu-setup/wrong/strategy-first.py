"""The strategy first, as with MirroredStrategy, and then what it needs.

Loses: order-test
"""


# %% in-order
def in_order():
    return "FDGABCE"

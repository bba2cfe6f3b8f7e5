"""Connects to the address, and makes the resolver when the strategy wants one.

Loses: order-test
"""


# %% in-order
def in_order():
    return "FGDBACE"

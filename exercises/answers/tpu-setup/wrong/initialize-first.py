"""Initializes at once, since it "has to be at the beginning": the worker is not known yet.

Loses: order-test
"""


# %% in-order
def in_order():
    return "FDBGACE"

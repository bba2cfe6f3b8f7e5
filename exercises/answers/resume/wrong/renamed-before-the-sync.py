"""Renames first: after a power cut the name is there, and the bytes are not.

Loses: save-order-test
"""


# %% save-order
def save_order():
    return "GDFCBEA"

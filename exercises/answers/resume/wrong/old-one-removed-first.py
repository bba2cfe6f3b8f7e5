"""Makes room before the new checkpoint is there.

Loses: save-order-test
"""


# %% save-order
def save_order():
    return "GDFACEB"

"""Saves what the step has made, and counts it afterwards.

Loses: save-order-test
"""


# %% save-order
def save_order():
    return "GFCEBDA"

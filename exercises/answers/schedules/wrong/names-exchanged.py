"""Exchanges two backward passes; it runs in time, and rank 2 holds one too many.

Loses: repaired-test
"""


# %% repaired
def repaired():
    text = "2F0 2F1 2F2 2B0 2F3 2B1 2B2 2F4 2B3 2B4"
    return [*BROKEN[:2], text, BROKEN[3]]

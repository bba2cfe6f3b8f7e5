"""Moves the last backward pass, which was in nobody's way.

Loses: repaired-test
"""


# %% repaired
def repaired():
    lines = list(BROKEN)
    lines[2] = "2F0 2F1 2F2 2B1 2F3 2B0 2B2 2B3 2F4 2B4"
    return lines

"""Leaves out the slope, which is 1 in the visible test.

Loses: pair-test
"""


# %% pair
def pair(distance, rate, slope):
    return (1 - rate) ** 2 * distance, (1 - 2 * rate) * distance

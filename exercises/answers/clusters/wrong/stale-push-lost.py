"""Believes that the second push overwrites the first. It is added to it.

Loses: pair-test
"""


# %% pair
def pair(distance, rate, slope):
    return (1 - rate * slope) ** 2 * distance, (1 - rate * slope) * distance

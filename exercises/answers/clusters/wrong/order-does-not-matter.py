"""Takes the two for the same, as if the gradient did not depend on the weight.

Loses: pair-test
"""


# %% pair
def pair(distance, rate, slope):
    left = (1 - rate * slope) ** 2 * distance
    return left, left

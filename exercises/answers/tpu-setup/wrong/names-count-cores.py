"""Takes the number in every name for cores, two a chip.

Loses: chips-of-test
"""


# %% chips-of
def chips_of(name):
    return int(name.partition("-")[2]) // 2

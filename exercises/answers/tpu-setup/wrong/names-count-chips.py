"""Takes the number in every name for chips.

Loses: chips-of-test
"""


# %% chips-of
def chips_of(name):
    return int(name.partition("-")[2])

"""Believes that the survivors go on where the dead one stopped.

Loses: steps-made-test
"""


# %% steps-made
def steps_made(total, every, deaths):
    return total

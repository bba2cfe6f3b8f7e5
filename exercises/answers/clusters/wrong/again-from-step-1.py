"""Believes that a life begins at step 1: then a checkpoint would be for nothing.

Loses: steps-made-test
"""


# %% steps-made
def steps_made(total, every, deaths):
    return total + sum(deaths)

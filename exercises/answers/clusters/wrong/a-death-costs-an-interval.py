"""Counts a whole interval for each death. Lost is what was done since the last checkpoint.

Loses: steps-made-test
"""


# %% steps-made
def steps_made(total, every, deaths):
    return total + every * len(deaths)

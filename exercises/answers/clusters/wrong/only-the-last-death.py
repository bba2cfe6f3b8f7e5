"""Counts what the last death cost, and forgets those before.

Loses: steps-made-test
"""


# %% steps-made
def steps_made(total, every, deaths):
    return total + (deaths[-1] % every if deaths else 0)

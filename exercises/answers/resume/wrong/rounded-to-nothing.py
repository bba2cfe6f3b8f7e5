"""Rounds an interval of less than half a step to 0.

Loses: best-every-test
"""


# %% best-every
def best_every(step, save, mean, restart):
    return round(math.sqrt(2 * save * mean) / step)

"""Young's formula as it stands: seconds, not steps.

Loses: best-every-test
"""


# %% best-every
def best_every(step, save, mean, restart):
    return max(1, round(math.sqrt(2 * save * mean)))

"""Adds the restart to what a save costs, though no interval changes it.

Loses: best-every-test
"""


# %% best-every
def best_every(step, save, mean, restart):
    return max(1, round(math.sqrt(2 * (save + restart) * mean) / step))

"""The root of cost times mean: as if a failure threw a whole interval away.

Loses: best-every-test
"""


# %% best-every
def best_every(step, save, mean, restart):
    return max(1, round(math.sqrt(save * mean) / step))

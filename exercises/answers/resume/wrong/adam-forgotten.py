"""Weights, step and position, as a saved model has them, and no averages.

Loses: go-on-test
"""


# %% capture
def capture(run):
    names = ("weights", "rate", "steps", "rng", "order", "position", "seen", "history")
    return copy.deepcopy({name: getattr(run, name) for name in names})

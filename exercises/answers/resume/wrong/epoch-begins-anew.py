"""The order is not saved: a new run shuffles anyway.

Loses: go-on-test
"""


# %% capture
def capture(run):
    names = ("weights", "m", "v", "rate", "steps", "rng", "seen", "history")
    return copy.deepcopy({name: getattr(run, name) for name in names})

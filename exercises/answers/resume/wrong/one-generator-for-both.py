"""Copies arrays and lists, and forgets that a generator changes as well.

Loses: snapshot-test
"""


# %% capture
def capture(run):
    state = {"rng": run.rng, "rate": run.rate, "steps": run.steps, "position": run.position}
    for name in ("weights", "m", "v", "order", "seen", "history"):
        state[name] = copy.copy(getattr(run, name))
    return state

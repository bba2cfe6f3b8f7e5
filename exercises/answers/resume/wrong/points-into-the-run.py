"""The state is the run's own arrays and lists.

Loses: snapshot-test
"""


# %% capture
def capture(run):
    return {name: one for name, one in vars(run).items() if name not in ("x", "y", "batch", "tick")}

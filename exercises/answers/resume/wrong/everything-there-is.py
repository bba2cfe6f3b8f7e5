"""Copies all attributes: the new run gets the tick of the old one's machine, too.

Loses: go-on-test
"""


# %% capture
def capture(run):
    return copy.deepcopy(vars(run))

"""Sees that the first update is wrong, not of what kind: averages or count.

Loses: log-model-test
"""


# %% read-log
def read_log():
    return {"A": 5, "B": 3, "C": 7, "D": 1, "E": 2, "F": 6}

"""Takes the run that goes through its epoch again for the one with another order.

Loses: log-data-test
"""


# %% read-log
def read_log():
    return {"A": 5, "B": 2, "C": 6, "D": 1, "E": 3, "F": 7}

"""Takes a half for 2 of 16 and an eighth for the missing size.

Loses: log-last-batch-test
"""


# %% read-log
def read_log():
    return {"A": 3, "B": 6, "C": 2, "D": 5, "E": 4, "F": 9, "G": 8, "H": 7}

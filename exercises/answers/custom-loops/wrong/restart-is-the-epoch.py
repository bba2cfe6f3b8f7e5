"""Takes a new model for a repeated epoch.

Loses: log-resume-test
"""


# %% read-log
def read_log():
    return {"A": 3, "B": 6, "C": 2, "D": 4, "E": 5, "F": 7, "G": 8, "H": 9}

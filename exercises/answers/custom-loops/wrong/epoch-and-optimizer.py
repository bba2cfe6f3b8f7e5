"""Takes other examples for a lost momentum.

Loses: log-resume-test
"""


# %% read-log
def read_log():
    return {"A": 3, "B": 6, "C": 2, "D": 4, "E": 5, "F": 8, "G": 9, "H": 7}

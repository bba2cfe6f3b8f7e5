"""Takes the larger gradient of B for that of mistake 1.

Loses: log-divides-test
"""


# %% read-log
def read_log():
    return {"A": 3, "B": 1, "C": 2, "D": 4, "E": 5, "F": 9, "G": 8, "H": 7}

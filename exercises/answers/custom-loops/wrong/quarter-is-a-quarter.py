"""Sees a quarter in A and in C and does not look at the gradients.

Loses: log-divides-test
"""


# %% read-log
def read_log():
    return {"A": 2, "B": 6, "C": 3, "D": 4, "E": 5, "F": 9, "G": 8, "H": 7}

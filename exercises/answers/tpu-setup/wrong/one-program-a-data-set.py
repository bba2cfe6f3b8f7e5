"""Counts a program for each data set, and overlooks the odd batch.

Loses: log-programs-test
"""


# %% read-logs
def read_logs():
    return 1, 4, 3, 0

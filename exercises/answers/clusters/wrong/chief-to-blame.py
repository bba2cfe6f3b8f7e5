"""Takes the first log with an error in it.

Loses: log-a-test
"""


# %% read-logs
def read_logs():
    return 0, 1, 3

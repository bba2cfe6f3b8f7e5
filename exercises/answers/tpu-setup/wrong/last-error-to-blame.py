"""Changes the line of the last error, which only follows from the first.

Loses: log-build-test
"""


# %% read-logs
def read_logs():
    return 5, 4, 4, 1

"""Takes the error with the earliest time. That machine's clock is 40 seconds slow.

Loses: log-a-test
"""


# %% read-logs
def read_logs():
    return 3, 1, 3

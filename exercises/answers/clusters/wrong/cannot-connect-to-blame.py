"""Takes the worker that cannot connect, which has lost its peer too.

Loses: log-b-test
"""


# %% read-logs
def read_logs():
    return 2, 0, 3

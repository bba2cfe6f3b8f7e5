"""Takes the error with the earliest time, of a worker that has lost its peer.

Loses: log-b-test
"""


# %% read-logs
def read_logs():
    return 2, 2, 3

"""Counts a whole interval between two checkpoints.

Loses: log-steps-test
"""


# %% read-logs
def read_logs():
    return 2, 1, 4

"""Counts all steps of the dead job, as if there were no checkpoint.

Loses: log-steps-test
"""


# %% read-logs
def read_logs():
    return 2, 1, 11

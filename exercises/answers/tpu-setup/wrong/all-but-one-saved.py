"""Believes that with static shapes one program is left.

Loses: log-programs-test
"""


# %% read-logs
def read_logs():
    return 1, 4, 4, 3

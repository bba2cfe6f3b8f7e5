"""Takes the line that fails for the one that does the harm.

Loses: log-again-test
"""


# %% read-logs
def read_logs():
    return 1, 6, 4, 1

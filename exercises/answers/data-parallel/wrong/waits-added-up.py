"""Adds both waits, 20 ms and 40 ms; the second contains what was late in the first.

Loses: trace-saved-test
"""


# %% read-trace
def read_trace():
    return 2, 70, 60

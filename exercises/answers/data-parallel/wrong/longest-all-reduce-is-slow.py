"""Takes a rank with long all-reduces for the slow one; it is waiting in there for the other.

Loses: trace-rank-test
"""


# %% read-trace
def read_trace():
    return 0, 70, 40

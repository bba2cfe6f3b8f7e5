"""Takes the rank with the largest gaps for the slow one; it is one that waits.

Loses: trace-rank-test
"""


# %% read-trace
def read_trace():
    busy = trace.busy(events, *schedules.WORK)
    return min(busy, key=busy.get), 0.446, 0.25

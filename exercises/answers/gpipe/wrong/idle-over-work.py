"""Divides what the ranks idle by what they work.

Loses: trace-idle-test
"""


# %% read-trace
def read_trace():
    work = trace.utilisation(events, *schedules.WORK)
    return 2, (1 - work) / work, 0.25

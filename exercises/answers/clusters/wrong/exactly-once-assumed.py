"""Adds on the server, which no other can disturb, and takes at least once for exactly once.

Loses: record-twice-test
"""


# %% record
def record(server, step, examples):
    server.scatter_add(step, examples)

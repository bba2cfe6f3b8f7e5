"""Adds if the step is not there yet. Two that look at the same time both see nothing, and both add.

Loses: record-twice-test
"""


# %% record
def record(server, step, examples):
    if server.read()[step] == 0:
        server.scatter_add(step, examples)

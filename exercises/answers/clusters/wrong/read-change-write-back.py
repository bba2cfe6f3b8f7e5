"""Sets the number, so that twice is as once, but by writing all numbers back: what another wrote meanwhile is lost.

Loses: record-meeting-test
"""


# %% record
def record(server, step, examples):
    values = server.read()
    values[step] = examples
    server.assign(values)

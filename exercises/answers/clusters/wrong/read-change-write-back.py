"""Sets the number of the step, but writes all numbers back: what came in meanwhile is lost.

Loses: record-meeting-test
"""


# %% record
def record(server, step, examples):
    values = server.read()
    values[step] = examples
    server.assign(values)

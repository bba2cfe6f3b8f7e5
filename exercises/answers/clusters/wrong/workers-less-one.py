"""Takes staleness for a constant, the number of the other workers.

Loses: staleness-test
"""


# %% staleness
def staleness(events):
    workers = {worker for _, worker in events}
    return [len(workers) - 1 for kind, _ in events if kind == "push"]

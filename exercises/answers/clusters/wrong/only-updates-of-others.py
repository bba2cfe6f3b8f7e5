"""Leaves out the worker's own updates since its pull. They too have changed the weights.

Loses: staleness-test
"""


# %% staleness
def staleness(events):
    since, found = {}, []
    for kind, worker in events:
        if kind == "pull":
            since[worker] = 0
        else:
            found.append(since[worker])
            for other in since:
                since[other] += other != worker
    return found

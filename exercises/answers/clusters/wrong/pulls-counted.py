"""Counts every event since the pull. A pull changes no weight.

Loses: staleness-test
"""


# %% staleness
def staleness(events):
    at_pull, found = {}, []
    for now, (kind, worker) in enumerate(events):
        if kind == "pull":
            at_pull[worker] = now
        else:
            found.append(now - at_pull[worker] - 1)
    return found

"""Counts every event since the pull. A pull changes no weight.

Loses: staleness-test
"""


# %% staleness
def staleness(events):
    updates, at_pull, found = 0, {}, []
    for kind, worker in events:
        if kind == "pull":
            at_pull[worker] = updates + 1
        else:
            found.append(updates - at_pull[worker])
        updates += 1
    return found

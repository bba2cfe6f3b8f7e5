"""Counts the push itself as an update that came before it.

Loses: staleness-test
"""


# %% staleness
def staleness(events):
    updates, at_pull, found = 0, {}, []
    for kind, worker in events:
        if kind == "pull":
            at_pull[worker] = updates
        else:
            updates += 1
            found.append(updates - at_pull[worker])
    return found

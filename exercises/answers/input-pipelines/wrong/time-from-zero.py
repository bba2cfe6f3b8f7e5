"""Takes the last end for the makespan: right only where the clock begins at 0.

Loses: utilisation-test
"""


# %% diagnose
def diagnose(events, workers, more):
    work = dict.fromkeys(workers, 0.0)
    for event in events:
        work[event.kind] += event.end - event.start
    span = max(event.end for event in events)
    shares = {kind: work[kind] / (span * workers[kind]) for kind in work}
    slowest = max(shares, key=shares.get)
    before = max(work[kind] / workers[kind] for kind in work)
    after = max(work[kind] / {**workers, slowest: more}[kind] for kind in work)
    return shares, slowest, before / after

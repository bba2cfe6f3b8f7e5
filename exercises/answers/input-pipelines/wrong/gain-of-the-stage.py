"""Twice the workers, twice the pace: another stage is then the slowest.

Loses: speed-up-test
"""


# %% diagnose
def diagnose(events, workers, more):
    work = dict.fromkeys(workers, 0.0)
    for event in events:
        work[event.kind] += event.end - event.start
    span = trace.makespan(events)
    shares = {kind: work[kind] / (span * workers[kind]) for kind in work}
    slowest = max(shares, key=shares.get)
    return shares, slowest, more / workers[slowest]

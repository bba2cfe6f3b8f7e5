"""Blames the stage with the most seconds, however many workers share them.

Loses: bottleneck-test
"""


# %% diagnose
def diagnose(events, workers, more):
    work = dict.fromkeys(workers, 0.0)
    for event in events:
        work[event.kind] += event.end - event.start
    span = trace.makespan(events)
    shares = {kind: work[kind] / (span * workers[kind]) for kind in work}
    slowest = max(shares, key=shares.get)
    before = max(work[kind] / workers[kind] for kind in work)
    after = max(work[kind] / {**workers, slowest: more}[kind] for kind in work)
    return shares, max(work, key=work.get), before / after

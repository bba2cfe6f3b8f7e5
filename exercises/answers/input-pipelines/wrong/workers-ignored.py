"""Counts the work of all workers as if it were one's.

Loses: utilisation-test
"""


# %% diagnose
def diagnose(events, workers, more):
    work = dict.fromkeys(workers, 0.0)
    for event in events:
        work[event.kind] += event.end - event.start
    span = trace.makespan(events)
    shares = {kind: work[kind] / span for kind in work}
    slowest = max(work, key=lambda kind: work[kind] / workers[kind])
    before = max(work[kind] / workers[kind] for kind in work)
    after = max(work[kind] / {**workers, slowest: more}[kind] for kind in work)
    return shares, slowest, before / after

"""Compares micro-batches with a room for examples.

Loses: choose-test
"""


# %% choose
def choose(ranks, room, start, travel):
    best = None
    for name in ORDERS:
        for micro_batches in MICRO_BATCHES:
            schedule = ORDERS[name](ranks, micro_batches)
            if max(peak_activations(schedule)) > room:
                continue
            events = simulate(schedule, costs_of(name, micro_batches, start, travel))
            found = trace.makespan(events), name, micro_batches
            best = min(best or found, found)
    return best[1:]

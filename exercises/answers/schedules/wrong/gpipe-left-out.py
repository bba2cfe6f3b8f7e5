"""GPipe is never considered, though it waits for messages least.

Loses: choose-test
"""


# %% choose
def choose(ranks, room, start, travel):
    best = None
    for name in ["1F1B", "ZB-H1"]:
        for micro_batches in MICRO_BATCHES:
            schedule = ORDERS[name](ranks, micro_batches)
            if max(peak_activations(schedule, activation=BATCH / micro_batches)) > room:
                continue
            events = simulate(schedule, costs_of(name, micro_batches, start, travel))
            found = trace.makespan(events), name, micro_batches
            best = min(best or found, found)
    return best[1:]

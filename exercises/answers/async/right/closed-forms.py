"""Uses closed forms, lists and Python's numbers, and prints."""


# %% staleness
def staleness(log):
    found = []
    for place, (what, worker) in enumerate(log):
        if what != "gradient":
            continue
        begin = max(i for i in range(place) if log[i] == ("weights", worker))
        found.append(sum(one == "gradient" for one, _ in log[begin:place]))
    print("stale", found)
    return tuple(found)


# %% most-workers
def most_workers(rate, curvature):
    if rate * curvature >= 2:
        return 0
    delay = (math.pi / (2 * math.asin(rate * curvature / 2)) - 1) / 2
    return math.ceil(delay - 1e-9)


# %% backup-step
def backup_step(times, gradients, needed):
    pairs = sorted(zip(times, range(len(times)), strict=True))[:needed]
    total = 0.0 * gradients[0]
    for _, worker in pairs:
        total += gradients[worker] / needed
    return [pairs[-1][0], total.tolist()]


# %% best-needed
def best_needed(times):
    best = (0, 0)
    for needed in range(1, len(times[0]) + 1):
        seconds = sum(sorted(step)[needed - 1] for step in times.tolist())
        best = max(best, (needed / seconds, -needed))
    return -best[1]

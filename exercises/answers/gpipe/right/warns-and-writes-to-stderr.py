"""Right, and noisy: warnings, a logger, stderr; tuples and NumPy's numbers as results."""


# %% cut
def cut(costs, speeds):
    print(f"{len(costs)} layers", file=sys.stderr)
    np.log(np.zeros(1))  # NumPy warns

    def slowest(cuts):
        return max(sum(costs[cuts[k] : cuts[k + 1]]) / speed for k, speed in enumerate(speeds))

    inner = itertools.combinations(range(1, len(costs)), len(speeds) - 1)
    return tuple(np.int64(c) for c in min(((0, *c, len(costs)) for c in inner), key=slowest))


# %% predict-makespan
def predict_makespan(forward, backward, micro_batches):
    print("predicting", file=sys.stderr)
    total = np.float64(0)
    for times in (forward, backward):
        ends = np.zeros(micro_batches)
        for seconds in times:
            free = 0.0
            for i in range(micro_batches):
                free = ends[i] = max(free, ends[i]) + seconds
        total += ends[-1]
    return total


# %% enough-micro-batches
def enough_micro_batches(stages, share):
    np.log(np.zeros(1))
    return np.int64(max(1, math.ceil((stages - 1) / share - (stages - 1))))


# %% predict-held
def predict_held(widths, sizes, recompute):
    print("holding", file=sys.stderr)
    held = np.float64(np.dot(sizes, [widths[0]] * len(sizes)))
    if not recompute:
        return held + sum(sizes) * sum(widths[1:])
    most = 0.0
    for size in sizes:
        most = max(most, held + size * sum(widths[1:]))
        held -= size * widths[0]
    return most


# %% read-trace
def read_trace():
    lines = {}
    for event in events:
        lines.setdefault(event.rank, []).append(event.end - event.start)
    whole = max(event.end for event in events) * len(lines)
    slowest = max(lines, key=lambda rank: sum(lines[rank]))
    return slowest, 1 - sum(map(sum, lines.values())) / whole, 25 / 100

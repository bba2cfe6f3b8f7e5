"""NumPy and iterators in place of lists, Counters, a generator of words, cumulative sums."""


# %% cluster-of
def cluster_of(machines, servers, port):
    import itertools

    names = (f"{machine}:{port:d}" for machine in machines)
    counts = {"chief": min(servers, 1), "ps": servers, "worker": len(machines)}
    dealt_out = {kind: [*itertools.islice(names, count)] for kind, count in counts.items()}
    return {kind: dealt_out[kind] for kind in dealt_out if dealt_out[kind]}


# %% complaints
def complaints(texts):
    from collections import Counter

    read = list(map(json.loads, texts))
    clusters = {json.dumps(one["cluster"], sort_keys=True) for one in read}
    if len(clusters) > 1:
        return frozenset(["clusters differ"])
    cluster = read[0]["cluster"]
    there = Counter((kind, i) for kind, names in cluster.items() for i, _ in enumerate(names))
    asked = Counter((one["task"]["type"], int(one["task"]["index"])) for one in read)

    def words():
        if max(asked.values()) > 1:
            yield "task twice"
        if asked.keys() - there.keys():
            yield "not in the cluster"
        if there.keys() - asked.keys():
            yield "task missing"
        if ("ps", 0) in there and ("chief", 0) not in there:
            yield "no chief"

    return set(words())


# %% examples-of
def examples_of(policy, files, batch, workers, worker):
    numbers = np.array([number for file in files for number in file], dtype=int)
    match policy:
        case "OFF":
            return numbers.tolist()
        case "DATA":
            place = np.arange(numbers.size)
            size = np.minimum(batch, numbers.size - place // batch * batch)
            return numbers[place % batch // -(-size // workers) == worker].tolist()
    which = np.repeat(np.arange(len(files)), [len(file) for file in files])
    return numbers[which % workers == worker].tolist() if len(files) >= workers else None


# %% staleness
def staleness(events):
    pushes = np.cumsum([kind == "push" for kind, _ in events])
    seen, stale = {}, []
    for place, (kind, worker) in enumerate(events):
        if kind == "pull":
            seen[worker] = pushes[place]
        else:
            stale.append(int(pushes[place] - 1 - seen[worker]))
    return stale

"""Recursion, dicts filled as one goes, slices, sums over ranges."""


# %% cluster-of
def cluster_of(machines, servers, port):
    kind_of = ["chief"] * bool(servers) + ["ps"] * servers + ["worker"] * len(machines)
    cluster = {}
    for kind, machine in zip(kind_of, machines):
        cluster.setdefault(kind, []).append(f"{machine}:{port}")
    return cluster


# %% examples-of
def examples_of(policy, files, batch, workers, worker):
    def chain(lists):
        return [number for one in lists for number in one]

    def data(numbers):
        if not numbers:
            return []
        now, later = numbers[:batch], numbers[batch:]
        piece = math.ceil(len(now) / workers)
        return now[piece * worker :][:piece] + data(later)

    if policy == "OFF":
        return chain(files)
    if policy == "DATA":
        return data(chain(files))
    if workers > len(files):
        return None
    return chain(file for i, file in enumerate(files) if i % workers == worker)


# %% plan
def plan(examples, per_replica, machines, gpus, policy):
    of_one = per_replica * gpus
    share = math.ceil(examples / machines) if policy == "DATA" else examples
    return sum([of_one] * machines), len(range(0, share, of_one))


# %% staleness
def staleness(events):
    def of(place, worker):
        since = max(i for i in range(place) if tuple(events[i]) == ("pull", worker))
        return sum(kind == "push" for kind, _ in events[since:place])

    return [of(place, worker) for place, (kind, worker) in enumerate(events) if kind == "push"]


# %% read-logs
def read_logs():
    done, newest = 11, 8
    return (np.int64(2).item(), 1, len(range(newest, done)))

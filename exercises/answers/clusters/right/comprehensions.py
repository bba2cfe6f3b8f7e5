"""Short forms, other calls of TensorFlow: write instead of save, ClusterSpec, NumPy."""


# %% cluster-of
def cluster_of(machines, servers, port):
    kinds = ["worker"] * len(machines)
    if servers > 0:
        kinds[0] = "chief"
        kinds[1 : servers + 1] = ["ps"] * servers
    return {
        kind: [f"{m}:{port}" for m, k in zip(machines, kinds) if k == kind] for kind in set(kinds)
    }


# %% tf-config
def tf_config(cluster, address):
    where = [(k, i) for k, every in cluster.items() for i, a in enumerate(every) if a == address]
    ((kind, index),) = where
    return json.dumps({"task": {"index": index, "type": kind}, "cluster": cluster}, indent=2)


# %% complaints
def complaints(texts):
    parts = [
        (c["cluster"], f"{c['task']['type']} {c['task']['index']}") for c in map(json.loads, texts)
    ]
    clusters, tasks = zip(*parts)
    first, *others = clusters
    if others.count(first) < len(others):
        return {"clusters differ"}
    there = [f"{kind} {i}" for kind in first for i, _ in enumerate(first[kind])]
    words = set()
    for task in tasks:
        if tasks.count(task) > 1:
            words.add("task twice")
        if task not in there:
            words.add("not in the cluster")
    for task in there:
        if task not in tasks:
            words.add("task missing")
    if first.get("ps") and not first.get("chief"):
        words.add("no chief")
    return words


# %% examples-of
def examples_of(policy, files, batch, workers, worker):
    everything = [*np.concatenate(files).tolist()]
    if policy in ("AUTO", "FILE"):
        if len(files) < workers:
            return
        return [n for i, file in enumerate(files) for n in file if i % workers == worker]
    if policy == "OFF":
        return everything
    found = []
    while everything:
        now, everything = everything[:batch], everything[batch:]
        piece = (len(now) + workers - 1) // workers
        found.extend(now[piece * worker :][:piece])
    return found


# %% plan
def plan(examples, per_replica, machines, gpus, policy):
    shares = machines if policy == "DATA" else 1
    steps = -(-examples // (per_replica * gpus * shares))
    return np.int64(per_replica * gpus * machines), float(steps)


# %% is-chief
def is_chief(text):
    with mock.patch.dict(os.environ, {"TF_CONFIG": text}):
        resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
        if "chief" in resolver.cluster_spec().jobs:
            return resolver.task_type == "chief"
        return resolver.task_type == "worker" and resolver.task_id == 0


# %% save
def save(checkpoint, text, shared, scratch):
    if is_chief(text):
        return checkpoint.save(os.path.join(shared, "model"))
    with tempfile.TemporaryDirectory(dir=scratch) as own:
        checkpoint.save(os.path.join(own, "model"))


# %% record
def record(server, step, examples):
    if server.read()[step] != examples:
        server.scatter_update(step, examples)


# %% staleness
def staleness(events):
    found = []
    for i, (kind, worker) in enumerate(events):
        if kind == "push":
            pulled = max(j for j in range(i) if events[j] == ("pull", worker))
            found.append(sum(what == "push" for what, _ in events[pulled:i]))
    return found

"""Leaves the counting to the libraries: resolver, managers, tf.data, dictionaries."""


# %% cluster-of
def cluster_of(machines, servers, port):
    left = [machine + ":" + str(port) for machine in machines]
    cluster = {}
    if servers:
        cluster["chief"] = [left.pop(0)]
        cluster["ps"] = [left.pop(0) for _ in range(servers)]
    if left:
        cluster["worker"] = left
    return cluster


# %% tf-config
def tf_config(cluster, address):
    spec = tf.train.ClusterSpec(cluster)
    for kind in spec.jobs:
        for index in spec.task_indices(kind):
            if spec.task_address(kind, index) == address:
                return config_text(spec.as_dict(), kind, index)


# %% complaints
def complaints(texts):
    specs = []
    tasks = {}
    for text in texts:
        with mock.patch.dict(os.environ, {"TF_CONFIG": text}):
            resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
            specs.append(resolver.cluster_spec())
            task = resolver.task_type, resolver.task_id
            tasks[task] = tasks.get(task, 0) + 1
    spec = specs[0]
    if any(other != spec for other in specs):
        return ["clusters differ"]
    found = []
    for kind, index in tasks:
        if kind not in spec.jobs or index not in spec.task_indices(kind):
            found.append("not in the cluster")
        if tasks[kind, index] > 1:
            found.append("task twice")
    if any((kind, i) not in tasks for kind in spec.jobs for i in spec.task_indices(kind)):
        found.append("task missing")
    if "ps" in spec.jobs and "chief" not in spec.jobs:
        found.append("no chief")
    return found


# %% examples-of
def examples_of(policy, files, batch, workers, worker):
    numbers = np.concatenate([np.array(file) for file in files])
    if policy == "OFF":
        return numbers.tolist()
    if policy != "DATA":
        if workers > len(files):
            return None
        dealt_out = tf.data.Dataset.range(len(files)).shard(workers, worker)
        return [n for i in dealt_out.as_numpy_iterator() for n in files[i]]
    mine = []
    for whole in tf.data.Dataset.from_tensor_slices(numbers).batch(batch):
        size = -(-len(whole) // workers)
        mine += whole[worker * size : worker * size + size].numpy().tolist()
    return mine


# %% is-chief
def is_chief(text):
    config = json.loads(text)
    task = (config["task"]["type"], config["task"]["index"])
    return task == ("chief", 0) or (task == ("worker", 0) and not config["cluster"].get("chief"))


# %% save
def save(checkpoint, text, shared, scratch):
    if not is_chief(text):
        checkpoint.write(scratch + "/thrown-away")
        for path in Path(scratch).iterdir():
            path.unlink()
    else:
        manager = tf.train.CheckpointManager(checkpoint, shared, max_to_keep=3)
        print("saved", manager.save(checkpoint_number=7))


# %% record
def record(server, step, examples):
    with server.lock:
        server.values[step] = examples


# %% read-logs
def read_logs():
    return np.int64(2), 1.0, 11 - 8

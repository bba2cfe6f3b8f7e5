"""Honest code that prints, and calls something that warns: neither may cost points."""


# %% cluster-of
def cluster_of(machines, servers, port):
    print("machines:", *machines)
    warnings.warn("an old habit", DeprecationWarning)
    addresses = [":".join((machine, str(port))) for machine in machines]
    ends = (0, 0, 0, len(machines)) if servers == 0 else (0, 1, 1 + servers, len(machines))
    cluster = {}
    for kind, begin, end in zip(("chief", "ps", "worker"), ends, ends[1:]):
        if end > begin:
            cluster[kind] = addresses[begin:end]
    return cluster


# %% plan
def plan(examples, per_replica, machines, gpus, policy):
    batch = machines * gpus * per_replica
    left = examples
    steps = 0
    while left > 0:
        left -= batch if policy == "DATA" else batch // machines
        steps += 1
    print("steps:", steps)
    return [batch, steps]


# %% save
def save(checkpoint, text, shared, scratch):
    folder = Path(shared if is_chief(text) else scratch)
    tf.get_logger().warning("saving to %s", folder)
    checkpoint.save(folder / "ckpt")
    if folder == Path(scratch):
        shutil.rmtree(folder)
        folder.mkdir()


# %% train
def train(model, optimizer, step, batches, folder, every):
    done = tf.Variable(0, dtype=tf.int32)
    everything = {"m": model, "d": done}
    for i, slot in enumerate(optimizer.variables):
        everything[f"slot{i}"] = slot
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(**everything), folder, 2)
    manager.checkpoint.restore(manager.latest_checkpoint)
    for number, batch in enumerate(batches, start=1):
        if number <= int(done):
            continue
        step(batch)
        done.assign(number)
        if not number % every:
            print("saved", manager.save())


# %% steps-made
def steps_made(total, every, deaths):
    again = 0
    for death in deaths:
        while death % every:
            death -= 1
            again += 1
    return total + again


# %% staleness
def staleness(events):
    server = 0
    versions = {}
    found = []
    for event in events:
        print(event)
        match event:
            case ("pull", worker):
                versions[worker] = server
            case ("push", worker):
                found += [server - versions[worker]]
                server += 1
    return tuple(found)


# %% pair
def pair(distance, rate, slope):
    in_turns = distance * (1 - rate * slope) ** 2
    return np.array([in_turns, in_turns - (rate * slope) ** 2 * distance])

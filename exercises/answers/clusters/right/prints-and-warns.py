"""Honest code that prints, and calls something that warns: neither may cost points."""


# %% cluster-of
def cluster_of(machines, servers, port):
    import warnings

    print("machines:", *machines)
    warnings.warn("an old habit", DeprecationWarning, stacklevel=2)
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

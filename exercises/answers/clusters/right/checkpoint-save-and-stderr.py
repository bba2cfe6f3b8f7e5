"""A class that is a dict, a list of candidates, checkpoint.save, prints on stderr."""


# %% tf-config
def tf_config(cluster, address):
    class Task(dict):
        def __init__(self, kind, index):
            super().__init__(index=index, type=kind)

    (task,) = [
        Task(kind, index)
        for kind, names in sorted(cluster.items())
        for index, name in enumerate(names)
        if name == address
    ]
    return json.dumps({"task": task, "cluster": cluster}, indent=2)


# %% is-chief
def is_chief(text):
    """Everybody's place in a list in which the kind chief comes first."""
    config = json.loads(text)
    candidates = [
        (kind, index)
        for kind in ("chief", "worker")
        for index in range(len(config["cluster"].get(kind, ())))
    ]
    return (
        candidates.index((config["task"]["type"], int(config["task"]["index"]))) == 0
        if (config["task"]["type"] != "ps")
        else False
    )


# %% save
def save(checkpoint, text, shared, scratch):
    import sys

    chief = is_chief(text)
    with tempfile.TemporaryDirectory(dir=scratch) as own:
        folder = Path(shared if chief else own)
        path = checkpoint.save(folder / "ckpt")
        print("saved", path, file=sys.stderr)


# %% record
def record(server, step, examples):
    import sys

    print("step", step, file=sys.stderr)
    server.scatter_update(step=step, number=int(examples))

"""Prints to stderr, recursion in `load`, a generator of steps, a search for the interval."""


# %% read-log
def read_log():
    print("read by hand", file=sys.stderr)
    return dict(pair for pair in (("F", 6), ("E", 3), ("D", 1), ("C", 7), ("B", 2), ("A", 5)))


# %% capture
def capture(run):
    state = {"steps": run.steps, "generator": copy.deepcopy(run.rng), "numbers": [run.rate]}
    state["weights, m, v"] = np.array([run.weights, run.m, run.v])
    state["order and position"] = np.append(run.order, run.position)
    state["history"] = list(run.history)
    state["seen"] = list(run.seen)
    print(f"captured after {run.steps} steps", file=sys.stderr)
    return state


# %% restore
def restore(run, state):
    run.weights, run.m, run.v = (row.copy() for row in state["weights, m, v"])
    run.order = state["order and position"][:-1].copy()
    run.position = int(state["order and position"][-1])
    (run.rate,) = state["numbers"]
    run.steps = state["steps"]
    run.rng = copy.deepcopy(state["generator"])
    run.history = [*state["history"]]
    run.seen = [*state["seen"]]


# %% save
def save(disk, step, data, keep):
    def checkpoints():
        for name in disk.names():
            if name.startswith("step-") and name[5:].isdigit():
                yield len(name), name

    final = f"step-{step}"
    print(f"{len(data)} bytes for {final}", file=sys.stderr)
    disk.write(final + ".unfinished", data)
    disk.sync(final + ".unfinished")
    disk.rename(final + ".unfinished", final)
    newest_first = [name for _, name in sorted(checkpoints(), reverse=True)]
    for name in [*disk.names()]:
        if name not in newest_first[:keep]:
            disk.remove(name)


# %% load
def load(disk, below=None):
    steps = [int(n[5:]) for n in disk.names() if n.startswith("step-") and n[5:].isdigit()]
    steps = [step for step in steps if below is None or step < below]
    if not steps:
        return None
    try:
        return unpack(disk.read(f"step-{max(steps)}"))
    except Damaged as error:
        print(error, file=sys.stderr)
        return load(disk, below=max(steps))


# %% train
KEEP = 2


def train(disk, run, total, every, on_sigterm):
    said = []

    def handler(number, frame):
        said.append(number)

    def steps():
        while run.steps < total:
            run.step()
            yield run.steps, len(said) > 0

    on_sigterm(handler)
    found = load(disk)
    if found is None:
        print("a new run", file=sys.stderr)
    else:
        restore(run, found)
        print(f"goes on after {run.steps} steps", file=sys.stderr)
    for step, leave in steps():
        if leave or step == total or not step % every:
            save(disk, step, pack(capture(run)), KEEP)
        if leave:
            return step == total
    return True


# %% mended
def mended_train(disk, run, total, every, on_sigterm):
    state = load(disk)
    if state is not None:
        restore(run, state)
    while run.steps < total:
        for _ in range(every):  # total is a multiple of every
            run.count(run.update(run.next_batch()))
        save(disk, run.steps, pack(capture(run)), keep=2)


# %% best-every
def best_every(step, save, mean, restart):
    def waste(every):
        return save / (every * step) + every * step / (2 * mean)

    low, high = 1, 2
    while waste(high) < waste(high - 1):
        high *= 2
    while low < high:
        middle = (low + high) // 2
        if waste(middle) <= waste(middle + 1):
            high = middle
        else:
            low = middle + 1
    return low

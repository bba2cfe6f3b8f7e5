"""Every attribute by its name, every list by a loop."""


# %% capture
def capture(run):
    state = {}
    for name in ("weights", "m", "v", "order"):
        state[name] = getattr(run, name).copy()
    for name in ("seen", "history"):
        state[name] = list(getattr(run, name))
    for name in ("rate", "steps", "position"):
        state[name] = getattr(run, name)
    state["generator"] = run.rng.bit_generator.state
    return state


# %% restore
def restore(run, state):
    for name in ("weights", "m", "v", "order"):
        setattr(run, name, state[name].copy())
    run.seen = list(state["seen"])
    run.history = list(state["history"])
    run.rate = state["rate"]
    run.steps = state["steps"]
    run.position = state["position"]
    run.rng.bit_generator.state = state["generator"]


# %% save
def save(disk, step, data, keep):
    temporary, final = f"step-{step}.unfinished", f"step-{step}"
    for name in disk.names():
        if name.endswith(".unfinished"):
            disk.remove(name)
    disk.write(temporary, data)
    disk.sync(temporary)
    disk.rename(temporary, final)
    numbers = []
    for name in disk.names():
        numbers.append(int(name.split("-")[1]))
    numbers.sort()
    while len(numbers) > keep:
        disk.remove(f"step-{numbers.pop(0)}")


# %% load
def load(disk):
    best = -1
    state = None
    for name in disk.names():
        found = re.fullmatch(r"step-([0-9]+)", name)
        if found and int(found[1]) > best:
            try:
                state = unpack(disk.read(name))
                best = int(found[1])
            except Damaged:
                pass
    return state


# %% train
def train(disk, run, total, every, on_sigterm):
    told = {"to stop": False}

    def handler(number, frame):
        told["to stop"] = True

    on_sigterm(handler)
    state = load(disk)
    if state:
        restore(run, state)
    for step in range(run.steps + 1, total + 1):
        stop = told["to stop"]
        run.step()
        if step % every == 0 or step == total or stop:
            save(disk, step, pack(capture(run)), 2)
        if stop:
            return step == total
    return True


# %% mended
def mended_train(disk, run, total, every, on_sigterm):
    state = load(disk)
    if state is not None:
        restore(run, state)
    following = run.next_batch()
    while run.steps < total:
        run.count(run.update(following))
        if run.steps % every == 0:  # nothing is fetched ahead at this moment
            save(disk, run.steps, pack(capture(run)), keep=2)
        following = run.next_batch()


# %% best-every
def best_every(step, save, mean, restart):
    def waste(every):
        return save / (every * step) + every * step / 2 / mean

    every = 1
    while waste(every + 1) < waste(every):
        every += 1
    return every

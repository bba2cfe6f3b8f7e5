"""Honest code that prints, and saves once more before it stops."""


# %% capture
def capture(run):
    kept = {
        name: copy.deepcopy(value) for name, value in run.__dict__.items() if name[0] not in "xy"
    }
    kept.pop("batch")
    kept.pop("tick")
    print("captured", len(kept), "things after step", run.steps)
    return kept


# %% restore
def restore(run, state):
    print("restored step", state["steps"])
    for name in state:
        run.__dict__[name] = copy.deepcopy(state[name])


# %% save
def save(disk, step, data, keep):
    assert unpack(data) is not None
    disk.write("new.unfinished", data)
    disk.sync("new.unfinished")
    disk.rename("new.unfinished", f"step-{step}")
    steps = [int(name[5:]) for name in disk.names() if ".unfinished" not in name]
    for name in disk.names():
        if ".unfinished" in name or sum(other >= int(name[5:]) for other in steps) > keep:
            disk.remove(name)


# %% load
def load(disk):
    good = {}
    for name in disk.names():
        if not name.endswith(".unfinished"):
            try:
                good[int(name.removeprefix("step-"))] = unpack(disk.read(name))
            except Damaged as error:
                print(name, error)
    return good[max(good)] if good else None


# %% train
def train(disk, run, total, every, on_sigterm):
    flag = []
    on_sigterm(lambda *given: flag.append(given))
    if load(disk):
        restore(run, load(disk))
    told = []
    done = run.steps >= total
    while not done and not told:
        run.step()
        done = run.steps >= total
        told = flag[:]
        if told or done or not run.steps % every:
            save(disk, run.steps, pack(capture(run)), keep=1)
    print("through" if done else "warned", "after step", run.steps)
    return done


# %% mended
def mended_train(disk, run, total, every, on_sigterm):
    if load(disk) is not None:
        restore(run, load(disk))
    while run.steps < total:
        run.step()
        if run.steps % every == 0:
            save(disk, run.steps, pack(capture(run)), keep=2)


# %% best-every
def best_every(step, save, mean, restart):
    seconds = math.sqrt(2 * save * mean)
    print("save every", seconds, "seconds")
    return max(1, int(seconds / step))

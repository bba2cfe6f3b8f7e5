"""The state is bytes of pickle; the flag is asked before a step; removes before it writes."""


# %% capture
def capture(run):
    changing = sorted(set(vars(run)) - {"x", "y", "batch", "tick"})
    return {"steps": run.steps, "all": pickle.dumps([(n, getattr(run, n)) for n in changing])}


# %% restore
def restore(run, state):
    vars(run).update(pickle.loads(state["all"]))


# %% read-log
def read_log():
    forgotten = dict(zip("D...A.CF", [1, 2, 3, 4, 5, 8, 7, 6], strict=True))
    return {"B": 2, "E": 3, **forgotten}


# %% save
def save(disk, step, data, keep):
    if f"step-{step}.unfinished" in disk.names():
        disk.remove(f"step-{step}.unfinished")
    disk.write(f"step-{step}.unfinished", data)
    disk.sync(f"step-{step}.unfinished")
    disk.rename(f"step-{step}.unfinished", f"step-{step}")

    def number(name):
        found = re.fullmatch(r"step-(\d+)", name)
        return int(found[1]) if found else -1

    for name in sorted(disk.names(), key=number, reverse=True)[keep:]:
        disk.remove(name)
    for name in disk.names():
        if number(name) < 0:
            disk.remove(name)


# %% load
def load(disk):
    candidates = [name for name in disk.names() if name[5:].isdigit()]
    candidates.sort(key=lambda name: int(name[5:]))
    while candidates:
        try:
            return unpack(disk.read(candidates.pop()))
        except Exception:
            continue


# %% train
KEEP = 3


class Warned:
    def __init__(self):
        self.yes = False

    def __call__(self, *signal):
        self.yes = True


def train(disk, run, total, every, on_sigterm):
    state = load(disk)
    warned = Warned()
    on_sigterm(warned)
    saved = None
    if state is not None:
        restore(run, state)
        saved = run.steps
    while run.steps != total:
        if warned.yes:
            break
        run.step()
        if run.steps % every == 0:
            saved = run.steps
            save(disk, saved, pack(capture(run)), KEEP)
    if saved != run.steps and run.steps:
        save(disk, run.steps, pack(capture(run)), KEEP)
    return run.steps >= total


# %% best-every
def best_every(step, save, mean, restart):
    return math.ceil((2 * save * mean) ** 0.5 / step)

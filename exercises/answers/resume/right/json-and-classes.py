"""The state is text of JSON; the loop is a class."""


# %% capture
def capture(run):
    names = ("weights", "m", "v", "rate", "order", "position", "seen", "history")
    state = {name: np.asarray(getattr(run, name)).tolist() for name in names}
    state["rng"] = repr(run.rng.bit_generator.state)
    return {"steps": run.steps, "text": repr(state)}


# %% restore
def restore(run, state):
    values = eval(state["text"])
    for name in ("weights", "m", "v", "order"):
        setattr(run, name, np.array(values[name]))
    for name in ("rate", "position", "seen", "history"):
        setattr(run, name, values[name])
    run.steps = state["steps"]
    run.rng = np.random.default_rng()
    run.rng.bit_generator.state = eval(values["rng"])


# %% save
def save(disk, step, data, keep):
    def number(name):
        return int(name.partition("-")[2]) if name.partition("-")[2].isdecimal() else -1

    disk.write("half.unfinished", data)
    disk.sync("half.unfinished")
    disk.rename("half.unfinished", f"step-{step}")
    newest = sorted(map(number, disk.names()))[-keep:]
    for name in set(disk.names()):
        if number(name) == -1 or number(name) not in newest:
            disk.remove(name)


# %% load
def load(disk):
    def good(name):
        try:
            return unpack(disk.read(name))
        except Damaged:
            return None

    names = {int(n[5:]): n for n in disk.names() if re.match("step-[0-9]+$", n)}
    states = (good(names[number]) for number in sorted(names)[::-1])
    return next((state for state in states if state is not None), None)


# %% train
class Loop:
    def __init__(self, disk, run, every):
        self.disk = disk
        self.run = run
        self.every = every
        self.stop = False
        found = load(disk)
        if found is not None:
            restore(run, found)

    def warn(self, number, frame):
        self.stop = True

    def one_step(self, last):
        self.run.step()
        leave = self.stop
        if leave or self.run.steps in {last, self.run.steps // self.every * self.every}:
            save(self.disk, self.run.steps, pack(capture(self.run)), 5)
        return leave


def train(disk, run, total, every, on_sigterm):
    loop = Loop(disk, run, every)
    on_sigterm(loop.warn)
    while run.steps < total:
        if loop.one_step(total):
            break
    return run.steps == total


# %% mended
def mended_train(disk, run, total, every, on_sigterm):
    if load(disk):
        restore(run, load(disk))
    following = None
    while run.steps < total:
        batch = run.next_batch() if following is None else following
        loss = run.update(batch)
        run.count(loss)
        following = run.next_batch() if run.steps % every else None  # never before a save
        if following is None:
            save(disk, run.steps, pack(capture(run)), keep=9)


# %% best-every
def best_every(step, save, mean, restart):
    candidates = np.arange(1, 200_000)
    return int(candidates[np.argmin(save / candidates / step + candidates * step / mean / 2)])

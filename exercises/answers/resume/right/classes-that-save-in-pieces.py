"""A snapshot class, a training that goes from save to save, properties and tuples."""


# %% read-log
def read_log():
    lines = (None, "D", "B", "E", None, "A", "F", "C", None)
    return {letter: lines.index(letter) for letter in filter(None, lines)}


# %% capture
class Snapshot:
    FIXED = frozenset(vars(Run()).keys() & {"x", "y", "batch", "tick"})

    def __init__(self, run):
        self.names = sorted(set(vars(run)) - self.FIXED)
        self.bits = {name: pickle.dumps(getattr(run, name)) for name in self.names}

    def values(self):
        return {name: pickle.loads(bits) for name, bits in self.bits.items()}


def capture(run):
    return Snapshot(run).values()


# %% restore
def restore(run, state):
    [setattr(run, name, copy.deepcopy(state[name])) for name in reversed(list(state))]


# %% save
class Saved:
    def __init__(self, disk):
        self.disk = disk

    @property
    def steps(self):
        ends = (name.partition("-")[2] for name in self.disk.names() if name[:5] == "step-")
        return tuple(sorted(int(end) for end in ends if end.isdecimal()))

    def clean(self, keep):
        wanted = [f"step-{step}" for step in self.steps][-keep:]
        unwanted = filter(lambda name: name not in wanted, tuple(self.disk.names()))
        all(self.disk.remove(name) is None for name in unwanted)


def save(disk, step, data, keep):
    new, temporary = f"step-{step:d}", f"step-{step:d}.unfinished"
    if temporary in disk.names():
        pass  # is written over
    disk.write(temporary, data)
    disk.sync(temporary)
    disk.rename(temporary, new)
    disk.sync(new)  # once more does no harm
    Saved(disk).clean(keep)


# %% load
def load(disk):
    def tried():
        names = {n for n in disk.names() if n.startswith("step-") and not n.endswith(".unfinished")}
        for name in sorted(names, key=lambda name: -int(name.split("-")[1])):
            try:
                yield unpack(disk.read(name))
            except Damaged:
                continue

    return next(tried(), None)


# %% train
KEEP = 2


class Training:
    def __init__(self, disk, run, total, every):
        self.disk, self.run, self.total, self.every = disk, run, total, every
        self.warnings = 0

    def warn(self, *_):
        self.warnings += 1

    def piece(self):
        """Steps to the next save; whether to go on."""
        run = self.run
        goal = min(self.total, (run.steps // self.every + 1) * self.every)
        while True:
            run.step()
            warned = self.warnings
            if warned or run.steps == goal:
                save(self.disk, run.steps, pack(capture(run)), KEEP)
                return not warned


def train(disk, run, total, every, on_sigterm):
    training = Training(disk, run, total, every)
    on_sigterm(training.warn)
    state = load(disk)
    if state:
        restore(run, state)
    while run.steps < total and training.piece():
        continue
    return {True: True, False: False}[run.steps == total]


# %% mended
def mended_train(disk, run, total, every, on_sigterm):
    restored = load(disk)
    if restored is not None:
        restore(run, restored)
    following = None
    while run.steps != total:
        numbers = run.next_batch() if following is None else following
        following = None
        run.count(run.update(numbers))
        if run.steps % every:
            following = run.next_batch()  # ahead, but never across a save
        else:
            save(disk, run.steps, pack(capture(run)), keep=2)


# %% best-every
def best_every(step, save, mean, restart):
    young = math.sqrt(2 * save * mean) / step
    around = (max(1, math.floor(young)), max(1, math.ceil(young)))
    return min(around, key=lambda every: save / every + every * step**2 / 2 / mean)

"""Pickle for snapshots, NumPy's numbers for steps and results, an object as handler."""


# %% read-log
def read_log():
    letters, numbers = np.array(list("ABCDEF")), np.array([5, 2, 7, 1, 3, 6])
    return dict(zip(letters.tolist(), numbers, strict=True))


# %% capture
def capture(run):
    fixed = {"x", "y", "batch", "tick"}
    state = {name: value for name, value in vars(run).items() if name not in fixed}
    return pickle.loads(pickle.dumps(state))


# %% restore
def restore(run, state):
    vars(run).update(pickle.loads(pickle.dumps(state)))


# %% save
def steps_on(disk):
    found = [re.fullmatch(r"step-(\d+)", name) for name in disk.names()]
    return np.sort(np.array([int(one[1]) for one in found if one], dtype=np.int64))


def save(disk, step, data, keep):
    unfinished = f"step-{step}.unfinished"
    disk.write(unfinished, data)
    disk.sync(unfinished)
    disk.rename(unfinished, unfinished.removesuffix(".unfinished"))
    kept = {f"step-{one}" for one in steps_on(disk)[-keep:]}
    for name in sorted(set(disk.names()) - kept):
        disk.remove(name)


# %% load
def load(disk):
    found = (re.fullmatch(r"step-(\d+)", name) for name in disk.names())
    steps = np.array([int(one[1]) for one in found if one], dtype=np.int64)
    for step in np.sort(steps)[::-1]:
        with contextlib.suppress(Damaged):
            return unpack(disk.read(f"step-{step}"))


# %% train
KEEP = 2


class Flag:
    """A handler that remembers that it was called."""

    def __init__(self):
        self.up = False

    def __call__(self, number, frame):
        self.up = True


def train(disk, run, total, every, on_sigterm):
    flag = Flag()
    on_sigterm(flag)
    state = load(disk)
    if state is not None:
        restore(run, state)
    leave = False
    while run.steps < total and not leave:
        run.step()
        leave = flag.up
        reasons = np.array([run.steps % every == 0, run.steps == total, leave])
        if reasons.any():
            save(disk, run.steps, pack(capture(run)), KEEP)
    return np.bool_(run.steps >= total)


# %% mended
def mended_train(disk, run, total, every, on_sigterm):
    state = load(disk)
    if state is not None:
        restore(run, state)
    for step in np.arange(run.steps + 1, total + 1):
        run.step()
        if step % every == 0:
            save(disk, run.steps, pack(capture(run)), keep=2)


# %% best-every
def best_every(step, save, mean, restart):
    every = np.arange(1, 2 + int(2 * math.sqrt(2 * save * mean) / step))
    waste = save / (every * step) + every * step / (2 * mean)
    return every[np.argmin(waste)]

"""Removes before it writes, so that never more than `keep` are there.

Loses: save-test
"""


# %% save
def save(disk, step, data, keep):
    steps = sorted(int(name[5:]) for name in disk.names() if not name.endswith(".unfinished"))
    kept = [f"step-{number}" for number in [*steps, step][-keep:]]
    for name in disk.names():
        if name not in kept:
            disk.remove(name)
    disk.write(f"step-{step}.unfinished", data)
    disk.sync(f"step-{step}.unfinished")
    disk.rename(f"step-{step}.unfinished", f"step-{step}")

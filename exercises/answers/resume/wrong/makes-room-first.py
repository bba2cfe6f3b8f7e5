"""Removes before it writes, so that never more than `keep` are there.

Loses: save-test
"""


# %% save
def save(disk, step, data, keep):
    steps = sorted(int(name[5:]) for name in disk.names() if not name.endswith(".tmp"))
    kept = [f"step-{number}" for number in [*steps, step][-keep:]]
    for name in disk.names():
        if name not in kept:
            disk.remove(name)
    disk.write(f"step-{step}.tmp", data)
    disk.sync(f"step-{step}.tmp")
    disk.rename(f"step-{step}.tmp", f"step-{step}")

"""Renames a file whose bytes are only in memory.

Loses: save-test
"""


# %% save
def save(disk, step, data, keep):
    disk.write(f"step-{step}.tmp", data)
    disk.rename(f"step-{step}.tmp", f"step-{step}")
    disk.sync(f"step-{step}")
    steps = sorted(int(name[5:]) for name in disk.names() if not name.endswith(".tmp"))
    for name in disk.names():
        if name.endswith(".tmp") or int(name[5:]) not in steps[-keep:]:
            disk.remove(name)

"""Renames a file whose bytes are only in memory.

Loses: save-test
"""


# %% save
def save(disk, step, data, keep):
    disk.write(f"step-{step}.unfinished", data)
    disk.rename(f"step-{step}.unfinished", f"step-{step}")
    disk.sync(f"step-{step}")
    steps = sorted(int(name[5:]) for name in disk.names() if not name.endswith(".unfinished"))
    for name in disk.names():
        if name.endswith(".unfinished") or int(name[5:]) not in steps[-keep:]:
            disk.remove(name)

"""Writes under the final name at once.

Loses: save-test
"""


# %% save
def save(disk, step, data, keep):
    disk.write(f"step-{step}", data)
    disk.sync(f"step-{step}")
    steps = sorted(int(name[5:]) for name in disk.names() if not name.endswith(".unfinished"))
    for name in disk.names():
        if name.endswith(".unfinished") or int(name[5:]) not in steps[-keep:]:
            disk.remove(name)

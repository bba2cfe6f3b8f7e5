"""Removes checkpoints, and no temporary file of an earlier life.

Loses: save-test
"""


# %% save
def save(disk, step, data, keep):
    disk.write(f"step-{step}.tmp", data)
    disk.sync(f"step-{step}.tmp")
    disk.rename(f"step-{step}.tmp", f"step-{step}")
    steps = sorted(int(name[5:]) for name in disk.names() if not name.endswith(".tmp"))
    for number in steps[:-keep]:
        disk.remove(f"step-{number}")

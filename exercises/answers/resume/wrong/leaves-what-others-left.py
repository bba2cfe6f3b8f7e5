"""Removes checkpoints, and no temporary file of an earlier life.

Loses: save-test
"""


# %% save
def save(disk, step, data, keep):
    disk.write(f"step-{step}.unfinished", data)
    disk.sync(f"step-{step}.unfinished")
    disk.rename(f"step-{step}.unfinished", f"step-{step}")
    steps = sorted(int(name[5:]) for name in disk.names() if not name.endswith(".unfinished"))
    for number in steps[:-keep]:
        disk.remove(f"step-{number}")

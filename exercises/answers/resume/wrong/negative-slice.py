"""Removes `steps[: len(steps) - keep]`, which is not empty if there are fewer than `keep`.

Loses: save-test
"""


# %% save
def save(disk, step, data, keep):
    disk.write(f"step-{step}.unfinished", data)
    disk.sync(f"step-{step}.unfinished")
    disk.rename(f"step-{step}.unfinished", f"step-{step}")
    temporary = [name for name in disk.names() if name.endswith(".unfinished")]
    steps = sorted(int(name[5:]) for name in disk.names() if name not in temporary)
    for name in [*temporary, *(f"step-{number}" for number in steps[: len(steps) - keep])]:
        disk.remove(name)

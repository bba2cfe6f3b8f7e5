"""Removes `steps[: len(steps) - keep]`, which is not empty if there are fewer than `keep`.

Loses: save-test
"""


# %% save
def save(disk, step, data, keep):
    disk.write(f"step-{step}.tmp", data)
    disk.sync(f"step-{step}.tmp")
    disk.rename(f"step-{step}.tmp", f"step-{step}")
    temporary = [name for name in disk.names() if name.endswith(".tmp")]
    steps = sorted(int(name[5:]) for name in disk.names() if name not in temporary)
    for name in [*temporary, *(f"step-{number}" for number in steps[: len(steps) - keep])]:
        disk.remove(name)

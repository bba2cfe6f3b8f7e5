"""Tries the newest and the one before, and no other.

Loses: load-test
"""


# %% load
def load(disk):
    steps = sorted(int(name[5:]) for name in disk.names() if not name.endswith(".unfinished"))
    if not steps:
        return None
    try:
        return unpack(disk.read(f"step-{steps[-1]}"))
    except Damaged:
        return unpack(disk.read(f"step-{steps[-2]}"))

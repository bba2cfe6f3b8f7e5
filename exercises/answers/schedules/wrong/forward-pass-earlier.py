"""Breaks the circle where it costs memory: rank 1 sends earlier.

Loses: repaired-test
"""


# %% repaired
def repaired():
    return [line.replace("1B0 1F3", "1F3 1B0") for line in BROKEN]

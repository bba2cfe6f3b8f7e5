"""Counts the pairs and lets them follow each other, wherever they are.

Loses: read-log-test
"""


# %% read-log
def read_log(widths, log):
    pairs = len([phase for phase, _ in log if phase == "forward"])
    cuts = ["whole"] + pairs * ["columns", "rows"]
    return cuts + ["whole"] * (len(widths) - 1 - len(cuts))

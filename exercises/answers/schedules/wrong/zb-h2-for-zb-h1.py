"""Takes passes for weights at the end for ZB-H2, whose ranks warm up twice as long.

Loses: timeline-names-test
"""


# %% read-timelines
def read_timelines():
    names = {"A": "1F1B", "B": "GPipe", "C": "ZB-H2"}
    held = {"A": 3, "B": 6, "C": 4}
    bubbles = {"A": 33.3, "B": 33.3, "C": 14.3}
    return names, held, bubbles

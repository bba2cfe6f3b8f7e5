"""Divides the idle time by the time of work.

Loses: timeline-bubble-test
"""


# %% read-timelines
def read_timelines():
    names = {"A": "1F1B", "B": "GPipe", "C": "ZB-H1"}
    held = {"A": 3, "B": 6, "C": 4}
    bubbles = {"A": 50, "B": 50, "C": 16.7}
    return names, held, bubbles

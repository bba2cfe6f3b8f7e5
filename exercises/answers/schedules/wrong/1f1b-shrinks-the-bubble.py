"""Believes that 1F1B idles less, because its backward passes begin earlier.

Loses: timeline-bubble-test
"""


# %% read-timelines
def read_timelines():
    names = {"A": "1F1B", "B": "GPipe", "C": "ZB-H1"}
    held = {"A": 3, "B": 6, "C": 4}
    bubbles = {"A": 25, "B": 33.3, "C": 14.3}
    return names, held, bubbles

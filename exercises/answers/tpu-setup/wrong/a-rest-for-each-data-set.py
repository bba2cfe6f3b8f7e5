"""Counts a program for each data set with a rest, though equal rests share one.

Loses: programs-test
"""


# %% predict-programs
def predict_programs(lengths, batch, drop_remainder):
    full = any(length >= batch for length in lengths)
    return full + (0 if drop_remainder else sum(1 for length in lengths if length % batch))

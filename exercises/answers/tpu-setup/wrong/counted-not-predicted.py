"""Nothing is predicted: the answer runs the count that it should have foreseen.

Loses: programs-test
"""


# %% predict-programs
def predict_programs(lengths, batch, drop_remainder):
    return counted_programs(lengths, batch, drop_remainder)

"""With `drop_remainder` there is always one program, it says: also where nothing is left.

Loses: programs-test
"""


# %% predict-programs
def predict_programs(lengths, batch, drop_remainder):
    if drop_remainder:
        return 1
    sizes = {min(batch, length - i) for length in lengths for i in range(0, length, batch)}
    return len(sizes)

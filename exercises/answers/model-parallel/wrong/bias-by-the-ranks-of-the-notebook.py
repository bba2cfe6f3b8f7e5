"""Every rank adds a part of the bias, but for the notebook's four ranks and not for those that ask.

Loses: row-parallel-test
"""


# %% row-parallel
def row_parallel(parts, rows, bias, all_reduce):
    return all_reduce([part @ own + b / RANKS for part, own, b in zip(parts, rows, bias)])

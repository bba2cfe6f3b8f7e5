"""Averages the partial sums, as data parallelism averages gradients: an N-th of the output.

Loses: row-parallel-test
"""


# %% row-parallel
def row_parallel(parts, rows, bias, all_reduce):
    sums = all_reduce([part @ own for part, own in zip(parts, rows)])
    return [whole / len(parts) + b for whole, b in zip(sums, bias)]

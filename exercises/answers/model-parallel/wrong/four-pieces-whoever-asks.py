"""Cuts into the notebook's four pieces, not into as many as there are ranks.

Loses: pair-forward-test
"""


# %% pair-forward
def pair_forward(weights, before, ranks, all_reduce):
    A, B = np.split(weights["A"], RANKS, axis=1), np.split(weights["B"], RANKS)
    a = np.split(weights["a"], RANKS)
    hidden = [np.tanh(before[r] @ A[r] + a[r]) for r in range(ranks)]
    return row_parallel(hidden, B[:ranks], [weights["b"]] * ranks, all_reduce)

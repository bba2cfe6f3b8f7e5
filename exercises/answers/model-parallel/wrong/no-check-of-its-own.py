"""Leaves it to NumPy to refuse: it refuses some numbers and, where the columns fit, rounds down.

Loses: attention-refuses-test
"""


# %% attention
def attention(x, weights, heads, ranks, all_reduce):
    q, k, v = (np.split(weights[name], ranks, axis=1) for name in "qkv")
    out = np.split(weights["out"], ranks)
    return all_reduce([mix(x, q[r], k[r], v[r], heads // ranks) @ out[r] for r in range(ranks)])

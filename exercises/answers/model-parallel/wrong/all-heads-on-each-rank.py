"""Gives each rank its columns, but tells it all heads: N times as many, each an N-th as wide.

Loses: attention-test
"""


# %% attention
def attention(x, weights, heads, ranks, all_reduce):
    if heads % ranks:
        raise ValueError(f"{heads} heads, {ranks} ranks")
    q, k, v = (np.split(weights[name], ranks, axis=1) for name in "qkv")
    out = np.split(weights["out"], ranks)
    return all_reduce([mix(x, q[r], k[r], v[r], heads) @ out[r] for r in range(ranks)])

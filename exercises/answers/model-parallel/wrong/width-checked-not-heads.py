"""Asks whether the columns can be split, not whether the heads can.

Loses: attention-refuses-test
"""


# %% attention
def attention(x, weights, heads, ranks, all_reduce):
    if x.shape[-1] % ranks:
        raise ValueError(f"width of {heads} heads cannot be split over {ranks} ranks")
    q, k, v = (np.split(weights[name], ranks, axis=1) for name in "qkv")
    out = np.split(weights["out"], ranks)
    return all_reduce(
        [mix(x, q[r], k[r], v[r], max(1, heads // ranks)) @ out[r] for r in range(ranks)]
    )

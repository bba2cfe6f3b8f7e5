"""Rounds the heads of a rank down in silence, if the columns allow it.

Loses: attention-refuses-test
"""


# %% attention
def attention(x, weights, heads, ranks, all_reduce):
    matrices = [np.array_split(weights[name], ranks, axis=1) for name in "qkv"]
    out = np.array_split(weights["out"], ranks)
    return all_reduce(
        [
            mix(x, *(m[r][:, : len(x[0, 0]) // ranks] for m in matrices), max(1, heads // ranks))
            @ out[r][: len(x[0, 0]) // ranks]
            for r in range(ranks)
        ]
    )

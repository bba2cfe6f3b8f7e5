"""Takes away what is in the sum too often, for the notebook's four ranks.

Loses: block-forward-test
"""


# %% block-forward
def block_forward(shards, x, all_reduce):
    outputs = broken_forward(shards, x, all_reduce)
    return [o - (RANKS - 1) * (x[r] + shards[r]["b"]) for r, o in enumerate(outputs)]

"""Cuts the weights anew; Adam's averages stay as the old ranks had them.

Loses: reshard-test
"""


# %% reshard
def reshard(parts, ranks):
    new = [{"steps": parts[0]["steps"]} for _ in range(ranks)]
    for name in parts[0]:
        if name == "steps":
            continue
        whole = np.concatenate([part[name] for part in parts])
        size = math.ceil(len(whole) / ranks)
        for rank, part in enumerate(new):
            piece = whole[rank * size : (rank + 1) * size]
            part[name] = parts[rank % len(parts)][name] if "." in name else piece
    return new

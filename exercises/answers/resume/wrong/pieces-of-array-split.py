"""As equal as possible, which is not the rule.

Loses: reshard-test
"""


# %% reshard
def reshard(parts, ranks):
    new = [{"steps": parts[0]["steps"]} for _ in range(ranks)]
    for name in parts[0]:
        if name != "steps":
            whole = np.concatenate([part[name] for part in parts])
            for part, piece in zip(new, np.array_split(whole, ranks), strict=True):
                part[name] = piece
    return new

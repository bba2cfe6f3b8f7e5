"""Off by one in the search: a slow device may get no layer at all.

Loses: cut-test
"""


# %% cut
def cut(costs, speeds):
    best = [(sum(costs[:end]) / speeds[0], [0, end]) for end in range(len(costs) + 1)]
    for speed in speeds[1:]:
        best = [
            min(
                (max(best[begin][0], sum(costs[begin:end]) / speed), [*best[begin][1], end])
                for begin in reversed(range(end + 1))
            )
            for end in range(len(costs) + 1)
        ]
    return best[-1][1]

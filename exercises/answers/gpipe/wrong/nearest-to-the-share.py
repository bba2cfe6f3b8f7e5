"""Greedy: cuts where the work so far is nearest to the devices' share so far.

Loses: cut-test
"""


# %% cut
def cut(costs, speeds):
    so_far, cuts = [0, *itertools.accumulate(costs)], [0]
    for k in range(1, len(speeds)):
        share = so_far[-1] * sum(speeds[:k]) / sum(speeds)
        possible = range(cuts[-1] + 1, len(costs) - len(speeds) + k + 1)
        cuts.append(min(possible, key=lambda end: abs(so_far[end] - share)))
    return [*cuts, len(costs)]

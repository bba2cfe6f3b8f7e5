"""Balances the work, as the chapter does, where devices are not equally fast.

Loses: cut-test
"""


# %% cut
def cut(costs, speeds):
    layers = len(costs)

    def slowest(inner):
        return max(sum(costs[a:b]) for a, b in itertools.pairwise([0, *inner, layers]))

    return [0, *min(itertools.combinations(range(1, layers), len(speeds) - 1), key=slowest), layers]

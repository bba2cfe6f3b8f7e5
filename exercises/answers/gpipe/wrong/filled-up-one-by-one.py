"""Greedy: each stage gets layers until it has its share, and the last one what is left.

Loses: cut-test
"""


# %% cut
def cut(costs, speeds):
    cuts, target = [0], sum(costs) / sum(speeds)
    for k, speed in enumerate(speeds[:-1]):
        end = cuts[-1] + 1
        room = len(costs) - (len(speeds) - k - 1)
        while end < room and sum(costs[cuts[-1] : end]) < target * speed:
            end += 1
        cuts.append(end)
    return [*cuts, len(costs)]

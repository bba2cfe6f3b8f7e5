"""The last rank begins with what it did last, and the others wait for micro-batch 0.

Loses: gpipe-schedule-test
"""


# %% gpipe-schedule
def gpipe_schedule(stages, micro_batches, most):
    ranks = []
    for rank in range(stages):
        order = []
        for begin in range(0, micro_batches, most):
            members = list(range(begin, min(begin + most, micro_batches)))
            back = members[::-1] if rank == stages - 1 else members
            order += [f"{rank}F{i}" for i in members] + [f"{rank}B{i}" for i in back]
        ranks.append(order)
    return ranks

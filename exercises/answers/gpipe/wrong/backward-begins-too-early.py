"""Cannot run: the later stages go backward before they have gone forward.

Loses: gpipe-schedule-test
"""


# %% gpipe-schedule
def gpipe_schedule(stages, micro_batches, most):
    ranks = []
    for rank in range(stages):
        order = []
        for begin in range(0, micro_batches, most):
            members = list(range(begin, min(begin + most, micro_batches)))
            order += [f"{rank}F{i}" for i in members[rank:]]
            order += [f"{rank}B{i}" for i in members]
            order += [f"{rank}F{i}" for i in members[:rank]]
        ranks.append(order)
    return ranks

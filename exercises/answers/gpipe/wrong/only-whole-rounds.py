"""Leaves out the last round if it is not full.

Loses: gpipe-schedule-test
"""


# %% gpipe-schedule
def gpipe_schedule(stages, micro_batches, most):
    rounds = [range(r * most, (r + 1) * most) for r in range(micro_batches // most)]
    return [
        [f"{rank}{kind}{i}" for members in rounds for kind in "FB" for i in members]
        for rank in range(stages)
    ]

"""All forward passes first, whatever there is room for.

Loses: gpipe-schedule-test
"""


# %% gpipe-schedule
def gpipe_schedule(stages, micro_batches, most):
    return [
        [f"{rank}{kind}{i}" for kind in "FB" for i in range(micro_batches)]
        for rank in range(stages)
    ]

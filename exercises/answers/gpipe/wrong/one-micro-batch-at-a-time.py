"""Each micro-batch goes there and back before the next one: a naive split, M times.

Loses: gpipe-schedule-test
"""


# %% gpipe-schedule
def gpipe_schedule(stages, micro_batches, most):
    return [
        [f"{rank}{kind}{i}" for i in range(micro_batches) for kind in "FB"]
        for rank in range(stages)
    ]

"""Takes it that the same stage is the slowest forward and backward.

Loses: predict-makespan-test
"""


# %% predict-makespan
def predict_makespan(forward, backward, micro_batches):
    both = [f + b for f, b in zip(forward, backward)]
    return sum(both) + (micro_batches - 1) * max(both)

"""The two denominators are mixed up.

Loses: predict-bubbles-test
"""


# %% predict-bubbles
def predict_bubbles(forward, backward, micro_batches):
    stages = len(forward)
    time = stages * predict_makespan(forward, backward, micro_batches)
    work = micro_batches * (sum(forward) + sum(backward))
    return (time - work) / work, (time - work) / time

"""Takes the two papers' denominators the other way round.

Loses: predict-bubble-test
"""


# %% predict-bubble
def predict_bubble(ranks, micro_batches, chunks, paper):
    idle, work = ranks - 1, chunks * micro_batches
    return idle / work if paper == "GPipe" else idle / (work + idle)

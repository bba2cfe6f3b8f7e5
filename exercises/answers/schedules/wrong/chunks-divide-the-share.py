"""Divides GPipe's share by v; all time gets shorter too, so that is not enough.

Loses: predict-bubble-test
"""


# %% predict-bubble
def predict_bubble(ranks, micro_batches, chunks, paper):
    idle = ranks - 1
    total = micro_batches + idle if paper == "GPipe" else micro_batches
    return idle / total / chunks

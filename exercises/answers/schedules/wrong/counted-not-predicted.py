"""Nothing is predicted: the answer runs the count that it should have foreseen.

Loses: predict-messages-test
"""


# %% predict-messages
def predict_messages(ranks, micro_batches, chunks):
    return counted_messages(ranks, micro_batches, chunks)

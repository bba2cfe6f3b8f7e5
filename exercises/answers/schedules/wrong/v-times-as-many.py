"""The messages of one chunk times v: forgets the way from the last rank to the first.

Loses: predict-messages-test
"""


# %% predict-messages
def predict_messages(ranks, micro_batches, chunks):
    return chunks * 2 * micro_batches * (ranks - 1)

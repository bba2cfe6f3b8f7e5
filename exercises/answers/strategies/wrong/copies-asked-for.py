"""Nothing is predicted: the answer runs what it should have foreseen.

Loses: copies-central-test
"""


# %% predict-copies
def predict_copies(strategy, on_read, aggregation, numbers, steps):
    return real_copies(strategy, on_read, aggregation, numbers, steps)

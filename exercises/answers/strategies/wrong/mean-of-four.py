"""Divides by the four replicas of the notebook.

Loses: copies-mirrored-test
"""


# %% predict-copies
def predict_copies(strategy, on_read, aggregation, numbers, steps):
    agreed = steps * sum(numbers) / (len(numbers) if aggregation == "MEAN" else 1)
    if strategy == "CentralStorage":
        return None if aggregation == "NONE" else ([agreed], agreed)
    own = [steps * number for number in numbers]

    if aggregation == "NONE":
        return own, own[0]
    if aggregation == "MEAN":
        agreed = sum(own) / 4
    return own if on_read else [agreed] * len(numbers), agreed

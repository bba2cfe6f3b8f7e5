"""Mirrored copies are always equal: whatever replicas assign is added up.

Loses: copies-mirrored-test
"""


# %% predict-copies
def predict_copies(strategy, on_read, aggregation, numbers, steps):
    agreed = steps * sum(numbers) / (len(numbers) if aggregation == "MEAN" else 1)
    if strategy == "CentralStorage":
        return None if aggregation == "NONE" else ([agreed], agreed)
    own = [steps * number for number in numbers]

    return own if on_read else [agreed] * len(numbers), agreed

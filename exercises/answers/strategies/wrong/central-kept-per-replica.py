"""ON_READ keeps a value for each replica, where there is one copy too.

Loses: copies-central-test
"""


# %% predict-copies
def predict_copies(strategy, on_read, aggregation, numbers, steps):
    agreed = steps * sum(numbers) / (len(numbers) if aggregation == "MEAN" else 1)
    own = [steps * number for number in numbers]
    if aggregation == "NONE":
        return (own, own[0]) if strategy == "Mirrored" else None
    if on_read:
        return own, agreed
    return [agreed] * (len(numbers) if strategy == "Mirrored" else 1), agreed

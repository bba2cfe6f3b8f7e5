"""Without an aggregation the one copy takes what replica 0 assigns, and no error comes.

Loses: copies-central-test
"""


# %% predict-copies
def predict_copies(strategy, on_read, aggregation, numbers, steps):
    agreed = steps * sum(numbers) / (len(numbers) if aggregation == "MEAN" else 1)
    own = [steps * number for number in numbers]
    if strategy == "CentralStorage":
        return ([own[0]], own[0]) if aggregation == "NONE" else ([agreed], agreed)
    if aggregation == "NONE":
        return own, own[0]
    return own if on_read else [agreed] * len(numbers), agreed

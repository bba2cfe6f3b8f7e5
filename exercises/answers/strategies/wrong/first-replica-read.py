"""Reading gives the copy of replica 0, of a variable that is kept per replica too.

Loses: copies-mirrored-test
"""


# %% predict-copies
def predict_copies(strategy, on_read, aggregation, numbers, steps):
    agreed = steps * sum(numbers) / (len(numbers) if aggregation == "MEAN" else 1)
    if strategy == "CentralStorage":
        return None if aggregation == "NONE" else ([agreed], agreed)
    own = [steps * number for number in numbers]

    if aggregation == "NONE" or on_read:
        return own, own[0]
    return [agreed] * len(numbers), agreed

"""OneDevice has no scope to speak of: what it names is where everything goes.

Loses: places-test
"""


# %% predict-places
def predict_places(strategy, devices, inside):
    if strategy == "OneDevice":
        return devices
    return devices if inside and strategy == "Mirrored" else ["CPU:0"]

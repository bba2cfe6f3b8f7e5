"""A strategy that exists is in force: the scope makes no difference.

Loses: places-test
"""


# %% predict-places
def predict_places(strategy, devices, inside):
    return devices if strategy in ("OneDevice", "Mirrored") else ["CPU:0"]

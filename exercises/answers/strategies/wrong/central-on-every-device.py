"""Takes the devices that compute for those that store.

Loses: places-test
"""


# %% predict-places
def predict_places(strategy, devices, inside):
    return devices if inside and strategy != "Default" else ["CPU:0"]

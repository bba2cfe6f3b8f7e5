"""A laptop is one machine, and Mirrored is for one machine.

Loses: decide-dies-test
"""


# %% decide
def decide():
    return {
        "A": "Mirrored",
        "B": "split the model",
        "C": "Mirrored",
        "D": "CentralStorage",
        "E": "ParameterServer",
        "F": "MultiWorkerMirrored",
        "G": "ParameterServer",
        "H": "MultiWorkerMirrored",
        "I": "Mirrored",
        "J": "TPU",
    }

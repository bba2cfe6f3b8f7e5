"""Machines that are taken away call for a parameter server, however few.

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
        "H": "ParameterServer",
        "I": "Default",
        "J": "TPU",
    }

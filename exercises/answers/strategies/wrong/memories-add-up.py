"""Eight GPUs of 40 GB have 320 GB, so 48 GB fit.

Loses: decide-fits-test
"""


# %% decide
def decide():
    return {
        "A": "Mirrored",
        "B": "Mirrored",
        "C": "Mirrored",
        "D": "CentralStorage",
        "E": "ParameterServer",
        "F": "MultiWorkerMirrored",
        "G": "ParameterServer",
        "H": "MultiWorkerMirrored",
        "I": "Default",
        "J": "TPU",
    }

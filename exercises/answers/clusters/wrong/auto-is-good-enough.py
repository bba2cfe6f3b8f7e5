"""Leaves it at AUTO, which is FILE: with one file the job ends with an error.

Loses: policy-test
"""


# %% policy-for
def policy_for(files, workers, sharded, same):
    if sharded:
        return "OFF"
    return "DATA" if same or files == 0 else "FILE"

"""Thinks of too few files, and not of none: data in memory cannot be dealt out by file.

Loses: policy-test
"""


# %% policy-for
def policy_for(files, workers, sharded, same):
    if sharded:
        return "OFF"
    return "DATA" if same or 0 < files < workers else "FILE"

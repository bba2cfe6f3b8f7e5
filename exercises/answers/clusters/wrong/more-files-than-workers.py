"""Wants more files than workers, where as many are enough.

Loses: policy-test
"""


# %% policy-for
def policy_for(files, workers, sharded, same):
    if sharded:
        return "OFF"
    return "FILE" if files > workers and not same else "DATA"

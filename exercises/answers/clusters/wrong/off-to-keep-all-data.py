"""Switches sharding off so that no worker misses examples. Each is then used once a worker.

Loses: policy-test
"""


# %% policy-for
def policy_for(files, workers, sharded, same):
    if sharded or same:
        return "OFF"
    return "FILE" if files >= workers else "DATA"

"""Shards by file what the script has sharded already: a shard of a shard.

Loses: policy-test
"""


# %% policy-for
def policy_for(files, workers, sharded, same):
    return "DATA" if same or files < workers else "FILE"

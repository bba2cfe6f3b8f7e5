"""Rounds down: the examples of the last, short step are never used.

Loses: plan-test
"""


# %% plan
def plan(examples, per_replica, machines, gpus, policy):
    batch = per_replica * machines * gpus
    a_step = batch if policy == "DATA" else per_replica * gpus
    return batch, examples // a_step

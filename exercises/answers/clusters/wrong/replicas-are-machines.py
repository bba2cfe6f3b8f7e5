"""Counts a replica for each machine. Each GPU is one.

Loses: plan-test
"""


# %% plan
def plan(examples, per_replica, machines, gpus, policy):
    batch = per_replica * machines
    a_step = batch if policy == "DATA" else per_replica
    return batch, math.ceil(examples / a_step)

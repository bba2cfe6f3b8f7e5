"""Passes the batch of one worker to `.batch(...)`, which the strategy cuts again.

Loses: plan-test
"""


# %% plan
def plan(examples, per_replica, machines, gpus, policy):
    batch = per_replica * machines * gpus
    a_step = batch if policy == "DATA" else per_replica * gpus
    return per_replica * gpus, math.ceil(examples / a_step)

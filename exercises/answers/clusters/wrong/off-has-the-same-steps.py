"""Believes that with OFF an epoch has as many steps as with DATA.

Loses: plan-test
"""


# %% plan
def plan(examples, per_replica, machines, gpus, policy):
    batch = per_replica * machines * gpus
    a_step = batch
    return batch, math.ceil(examples / a_step)

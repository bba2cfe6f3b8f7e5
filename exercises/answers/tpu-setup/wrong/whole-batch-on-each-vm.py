"""Lets each VM bring the whole batch.

Loses: plan-test
"""


# %% plan-of
def plan_of(chips, machine, devices_a_chip, global_batch):
    vms = chips // int(machine.rpartition("-")[2].removesuffix("t"))
    replicas = chips * devices_a_chip
    if global_batch % replicas:
        raise ValueError("uneven")
    return vms, replicas, global_batch // replicas, global_batch

"""Rounds down where the batch does not divide evenly.

Loses: plan-test
"""


# %% plan-of
def plan_of(chips, machine, devices_a_chip, global_batch):
    vms = chips // int(machine.rpartition("-")[2].removesuffix("t"))
    replicas = chips * devices_a_chip
    return vms, replicas, global_batch // replicas, global_batch // vms

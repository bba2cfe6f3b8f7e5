"""Asks whether the chips, not the replicas, divide the batch.

Loses: plan-test
"""


# %% plan-of
def plan_of(chips, machine, devices_a_chip, global_batch):
    vms = chips // int(machine.rpartition("-")[2].removesuffix("t"))
    replicas = chips * devices_a_chip
    if global_batch % chips:
        raise ValueError("uneven")
    return vms, replicas, global_batch // replicas, global_batch // vms

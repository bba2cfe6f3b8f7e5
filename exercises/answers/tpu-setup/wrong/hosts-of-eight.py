"""Counts hosts of eight chips in place of VMs.

Loses: plan-test
"""


# %% plan-of
def plan_of(chips, machine, devices_a_chip, global_batch):
    vms, replicas = -(-chips // 8), chips * devices_a_chip
    if global_batch % replicas:
        raise ValueError("uneven")
    return vms, replicas, global_batch // replicas, global_batch // vms

"""Takes v4's two cores for two replicas, whatever TensorFlow shows.

Loses: plan-test
"""


# %% plan-of
def plan_of(chips, machine, devices_a_chip, global_batch):
    vms = chips // int(machine.rpartition("-")[2].removesuffix("t"))
    replicas = chips * (2 if machine.startswith("ct4p") else 1)
    if global_batch % replicas:
        raise ValueError("uneven")
    return vms, replicas, global_batch // replicas, global_batch // vms

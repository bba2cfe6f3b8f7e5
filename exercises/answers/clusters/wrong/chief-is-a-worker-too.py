"""Lists the chief among the workers as well, as if it computed: its address stands there twice.

Loses: cluster-test
"""


# %% cluster-of
def cluster_of(machines, servers, port):
    addresses = [f"{machine}:{port}" for machine in machines]
    if servers == 0:
        return {"worker": addresses}
    workers = addresses[:1] + addresses[1 + servers :]
    return {"chief": addresses[:1], "ps": addresses[1 : 1 + servers], "worker": workers}

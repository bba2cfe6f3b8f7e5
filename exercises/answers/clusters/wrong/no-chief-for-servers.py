"""Makes a cluster of workers and servers, and nobody to coordinate them.

Loses: cluster-test
"""


# %% cluster-of
def cluster_of(machines, servers, port):
    addresses = [f"{machine}:{port}" for machine in machines]
    if servers == 0:
        return {"worker": addresses}
    return {"ps": addresses[:servers], "worker": addresses[servers:]}

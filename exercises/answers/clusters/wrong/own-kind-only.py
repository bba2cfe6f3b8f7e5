"""Tells a task only of the tasks of its own kind.

Loses: tf-config-test
"""


# %% tf-config
def tf_config(cluster, address):
    for kind, addresses in cluster.items():
        if address in addresses:
            task = {"type": kind, "index": addresses.index(address)}
            return json.dumps({"cluster": {kind: addresses}, "task": task})

"""Writes the dict as Python shows it, with single quotes: no JSON.

Loses: tf-config-test
"""


# %% tf-config
def tf_config(cluster, address):
    for kind, addresses in cluster.items():
        if address in addresses:
            task = {"type": kind, "index": addresses.index(address)}
            return str({"cluster": cluster, "task": task})

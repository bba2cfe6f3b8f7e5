"""Begins each cluster with the task's own address, so that the clusters differ.

Loses: tf-config-test
"""


# %% tf-config
def tf_config(cluster, address):
    for kind, addresses in cluster.items():
        if address in addresses:
            others = [other for other in addresses if other != address]
            mine = {**cluster, kind: [address, *others]}
            return json.dumps({"cluster": mine, "task": {"type": kind, "index": 0}})

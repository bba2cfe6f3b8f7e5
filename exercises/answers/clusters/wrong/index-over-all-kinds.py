"""Numbers the tasks of all kinds on, as ranks are. Each kind counts from 0.

Loses: tf-config-test
"""


# %% tf-config
def tf_config(cluster, address):
    everybody = [(kind, a) for kind, addresses in cluster.items() for a in addresses]
    for index, (kind, one) in enumerate(everybody):
        if one == address:
            return json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}})

"""Copies one text to all machines: index 0 everywhere.

Loses: tf-config-test
"""


# %% tf-config
def tf_config(cluster, address):
    return json.dumps({"cluster": cluster, "task": {"type": "worker", "index": 0}})

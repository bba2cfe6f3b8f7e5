"""Compares texts, in which the kinds can stand in another order in the same cluster.

Loses: complaints-kinds-test
"""


# %% complaints
def complaints(texts):
    configs = [json.loads(text) for text in texts]
    cluster = configs[0]["cluster"]
    if any(json.dumps(config["cluster"]) != json.dumps(cluster) for config in configs):
        return {"clusters differ"}
    wanted = {(kind, i) for kind, found in cluster.items() for i in range(len(found))}
    tasks = [(config["task"]["type"], config["task"]["index"]) for config in configs]
    found = {
        "task twice": len(tasks) > len(set(tasks)),
        "not in the cluster": set(tasks) - wanted,
        "task missing": wanted - set(tasks),
        "no chief": "ps" in cluster and "chief" not in cluster,
    }
    return {word for word, is_so in found.items() if is_so}

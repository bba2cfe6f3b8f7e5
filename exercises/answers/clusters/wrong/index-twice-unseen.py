"""Takes as many texts as tasks for a sign that each task is there once.

Loses: complaints-test
"""


# %% complaints
def complaints(texts):
    configs = [json.loads(text) for text in texts]
    cluster = configs[0]["cluster"]
    if any(config["cluster"] != cluster for config in configs):
        return {"clusters differ"}
    wanted = {(kind, i) for kind, found in cluster.items() for i in range(len(found))}
    tasks = [(config["task"]["type"], config["task"]["index"]) for config in configs]
    found = {
        "task twice": len(tasks) > len(wanted),
        "not in the cluster": set(tasks) - wanted,
        "task missing": wanted - set(tasks),
        "no chief": "ps" in cluster and "chief" not in cluster,
    }
    return {word for word, is_so in found.items() if is_so}

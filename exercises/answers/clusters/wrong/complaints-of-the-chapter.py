"""Looks at indices without their kinds, as the chapter may, which has only workers.

Loses: complaints-kinds-test
"""


# %% complaints
def complaints(texts):
    configs = [json.loads(text) for text in texts]
    if any(config["cluster"] != configs[0]["cluster"] for config in configs):
        return {"clusters differ"}
    found = set()
    wanted = set(range(len(configs[0]["cluster"]["worker"])))
    indices = [config["task"]["index"] for config in configs]
    if len(set(indices)) < len(indices):
        found.add("task twice")
    if set(indices) - wanted:
        found.add("not in the cluster")
    if wanted - set(indices):
        found.add("task missing")
    if "ps" in configs[0]["cluster"] and "chief" not in configs[0]["cluster"]:
        found.add("no chief")
    return found

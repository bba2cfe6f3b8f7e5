"""Takes whoever is no worker for the chief: servers too.

Loses: is-chief-test
"""


# %% is-chief
def is_chief(text):
    config = json.loads(text)
    kind, index = config["task"]["type"], config["task"]["index"]
    return kind != "worker" or ("chief" not in config["cluster"] and index == 0)

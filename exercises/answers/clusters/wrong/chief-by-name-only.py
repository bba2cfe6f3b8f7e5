"""Knows only tasks of the kind chief, so that a cluster of workers has none.

Loses: is-chief-test
"""


# %% is-chief
def is_chief(text):
    return json.loads(text)["task"]["type"] == "chief"

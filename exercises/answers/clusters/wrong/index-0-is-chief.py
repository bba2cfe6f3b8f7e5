"""Takes every task with index 0 for the chief: worker 0 beside a chief, and ps 0.

Loses: is-chief-test
"""


# %% is-chief
def is_chief(text):
    return json.loads(text)["task"]["index"] == 0

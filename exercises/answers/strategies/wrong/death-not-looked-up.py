"""Asks for the way only, whatever must go on.

Loses: verdicts-test
"""


# %% verdicts
def verdicts(table, way, must_go_on):
    words = {"equals": "yes", "not run": "unknown"}
    return {c["strategy"]: words.get(c["outcome"], "no") for c in table.select(way=way)}

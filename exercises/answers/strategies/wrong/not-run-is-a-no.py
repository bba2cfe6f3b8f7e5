"""What was not run is said not to work.

Loses: verdicts-test
"""


# %% verdicts
def verdicts(table, way, must_go_on):
    found = {}
    for cell in table.select(way=way):
        name = cell["strategy"]
        ways = [way, "a worker is killed"] if must_go_on else [way]
        good = all(table.cell(strategy=name, way=w)["outcome"] == "equals" for w in ways)
        found[name] = "yes" if good else "no"
        if all(table.cell(strategy=name, way=w)["outcome"] == "not run" for w in ways):
            found[name] = "no"
    return found

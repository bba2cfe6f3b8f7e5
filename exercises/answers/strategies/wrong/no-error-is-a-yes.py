"""Whatever ends without an error counts, also if one replica did all the work.

Loses: verdicts-test
"""


# %% verdicts
def verdicts(table, way, must_go_on):
    found = {}
    for name in {cell["strategy"] for cell in table.cells}:
        ways = [way, "a worker is killed"][: 1 + must_go_on]
        outcomes = [table.cell(strategy=name, way=w)["outcome"] for w in ways]
        if "error" in outcomes:
            found[name] = "no"
        else:
            found[name] = "unknown" if "not run" in outcomes else "yes"
    return found

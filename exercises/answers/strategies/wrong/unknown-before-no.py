"""One thing that is not known makes all unknown, though the other is a no.

Loses: verdicts-test
"""


# %% verdicts
def verdicts(table, way, must_go_on):
    found = {}
    for name in {cell["strategy"] for cell in table.cells}:
        ways = [way, "a worker is killed"][: 1 + must_go_on]
        outcomes = [table.cell(strategy=name, way=w)["outcome"] for w in ways]
        if "not run" in outcomes:
            found[name] = "unknown"
        else:
            found[name] = "yes" if set(outcomes) == {"equals"} else "no"
    return found

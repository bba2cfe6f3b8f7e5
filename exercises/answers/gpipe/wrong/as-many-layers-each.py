"""Equal numbers of layers are not equal costs.

Loses: cut-test
"""


# %% cut
def cut(costs, speeds):
    return [round(len(costs) * k / len(speeds)) for k in range(len(speeds) + 1)]

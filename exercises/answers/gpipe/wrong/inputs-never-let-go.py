"""Reads the input, and does not take it out of what is kept.

Loses: one-pass-test
"""


# %% one-pass
def one_pass(stage, kept, kind, index, given):
    if kind == "F":
        kept[index] = given
        return stage.forward(given)[-1]
    return stage.backward(kept[index], stage.forward(kept[index]), given)

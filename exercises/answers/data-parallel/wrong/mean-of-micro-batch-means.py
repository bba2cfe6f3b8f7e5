"""Divides every micro-batch's mean by their number: the short last one counts too much.

Loses: accumulate-test
"""


# %% accumulate
def accumulate(model, x, y, micro_batch_size):
    model.zero_grad()
    parts = list(zip(x.split(micro_batch_size), y.split(micro_batch_size)))
    for micro_x, micro_y in parts:
        (((model(micro_x) - micro_y) ** 2).mean() / len(parts)).backward()

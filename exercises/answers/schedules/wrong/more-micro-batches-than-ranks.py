"""Takes it for granted that there are enough micro-batches to warm up with.

Loses: order-1f1b-test
"""


# %% order-1f1b
def order_1f1b(ranks, micro_batches):
    lines = []
    for rank in range(ranks):
        forward = ranks - rank - 1
        words = [f"{rank}F{i}" for i in range(forward)]
        for i in range(micro_batches):
            if forward < micro_batches:
                words.append(f"{rank}F{forward}")
                forward += 1
            words.append(f"{rank}B{i}")
        lines.append(" ".join(words))
    return lines

"""Each rank does one forward pass too few before it takes turns.

Loses: order-1f1b-test
"""


# %% order-1f1b
def order_1f1b(ranks, micro_batches):
    lines = []
    for rank in range(ranks):
        forward = max(0, min(micro_batches, ranks - rank - 2))
        words = [f"{rank}F{i}" for i in range(forward)]
        for i in range(micro_batches):
            if forward < micro_batches:
                words.append(f"{rank}F{forward}")
                forward += 1
            words.append(f"{rank}B{i}")
        lines.append(" ".join(words))
    return lines

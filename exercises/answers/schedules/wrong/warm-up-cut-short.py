"""1F1B with a shorter warm-up, as in the chapter: it fits, and ranks wait in turn.

Loses: order-capped-test
"""


# %% order-capped
def order_capped(ranks, micro_batches, cap):
    lines = []
    for rank in range(ranks):
        forward = min(micro_batches, ranks - rank - 1, cap - 1)
        words = [f"{rank}F{i}" for i in range(forward)]
        for i in range(micro_batches):
            if forward < micro_batches:
                words.append(f"{rank}F{forward}")
                forward += 1
            words.append(f"{rank}B{i}")
        lines.append(words)
    return lines

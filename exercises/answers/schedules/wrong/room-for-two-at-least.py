"""Keeps two micro-batches on their way where there is room for one.

Loses: order-capped-memory-test
"""


# %% order-capped
def order_capped(ranks, micro_batches, cap):
    together = min(max(2, cap), ranks)
    lines = []
    for rank in range(ranks):
        timed = []
        for i in range(micro_batches):
            begin = 3 * ranks * (i // together) + 3 * (i % together)
            timed.append((begin + rank, f"{rank}F{i}"))
            timed.append((begin + ranks + 2 * (ranks - 1 - rank), f"{rank}B{i}"))
        lines.append([word for _, word in sorted(timed)])
    return lines

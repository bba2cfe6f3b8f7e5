"""Takes it for granted that there is less room than 1F1B needs.

Loses: order-capped-test
"""


# %% order-capped
def order_capped(ranks, micro_batches, cap):
    together = min(cap, max(1, ranks - 1))
    lines = []
    for rank in range(ranks):
        timed = []
        for i in range(micro_batches):
            begin = 3 * ranks * (i // together) + 3 * (i % together)
            timed.append((begin + rank, f"{rank}F{i}"))
            timed.append((begin + ranks + 2 * (ranks - 1 - rank), f"{rank}B{i}"))
        lines.append([word for _, word in sorted(timed)])
    return lines

"""Every rank is one micro-batch later with its weights than there is room for.

Loses: order-zero-bubble-memory-test
"""


# %% order-zero-bubble
def order_zero_bubble(ranks, micro_batches):
    lines = []
    for rank in range(ranks):
        late = rank + 1
        forward = min(micro_batches, ranks - rank - 1)
        words = [f"{rank}F{i}" for i in range(forward)]
        for i in range(micro_batches):
            if forward < micro_batches:
                words.append(f"{rank}F{forward}")
                forward += 1
            words.append(f"{rank}I{i}")
            if i >= late:
                words.append(f"{rank}W{i - late}")
        words += [f"{rank}W{i}" for i in range(max(0, micro_batches - late), micro_batches)]
        lines.append(words)
    return lines

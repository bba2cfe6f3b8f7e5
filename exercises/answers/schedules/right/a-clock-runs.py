"""Lets a clock run and does on each rank what can be done; returns operations, not words."""


# %% order-capped
def by_the_clock(ranks, micro_batches, room_of):
    forward = [0] * ranks
    backward = [0] * ranks
    free = [0] * ranks
    ends = {}
    orders = [[] for _ in range(ranks)]
    now = 0
    never = float("inf")

    def do(rank, kind, i, seconds):
        free[rank] = now + seconds
        ends[rank, kind, i] = now + seconds
        orders[rank].append(Op(rank, kind, i))

    while sum(backward) < ranks * micro_batches:
        for rank in range(ranks):
            f, b = forward[rank], backward[rank]
            if free[rank] > now:
                continue
            gradient = ends.get((rank + 1, "B", b), never) if rank < ranks - 1 else now
            if b < f and gradient <= now:
                do(rank, "B", b, 2)
                backward[rank] += 1
                continue
            activation = ends.get((rank - 1, "F", f), never) if rank else now
            if f < micro_batches and f - b < room_of(rank) and activation <= now:
                do(rank, "F", f, 1)
                forward[rank] += 1
        now += 1
    return orders


def order_capped(ranks, micro_batches, cap):
    return by_the_clock(ranks, micro_batches, lambda rank: cap)


# %% stages-of
def stages_of(rank, ranks, chunks):
    return [stage for stage in range(ranks * chunks) if stage % ranks == rank]


# %% predict-messages
def predict_messages(ranks, micro_batches, chunks):
    messages = 0
    for stage in range(ranks * chunks - 1):
        if stage % ranks != (stage + 1) % ranks:
            messages += 2 * micro_batches
    return messages


# %% order-zero-bubble
def order_zero_bubble(ranks, micro_batches):
    orders = []
    for rank in range(ranks):
        ops = []
        waiting = []
        forward = 0
        for i in range(micro_batches):
            while forward < min(micro_batches, i + ranks - rank):
                ops.append(Op(rank, "F", forward))
                forward += 1
            ops.append(Op(rank, "I", i))
            waiting.append(Op(rank, "W", i))
            if len(waiting) > rank:
                ops.append(waiting.pop(0))
        orders.append(ops + waiting)
    return orders


# %% read-timelines
def read_timelines():
    names = dict(zip("ABC", ["1F1B", "GPipe", "ZB-H1"]))
    held = {}
    bubbles = {}
    for letter, events in RUNS.items():
        bubbles[letter] = 100 * trace.bubble(events, *WORK)
        peaks = peak_activations(parse(ORDERS_SEEN[letter]))
        held[letter] = peaks[1]
    return names, held, bubbles

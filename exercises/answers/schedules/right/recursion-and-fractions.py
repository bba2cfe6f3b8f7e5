"""Recursive orders, words merged, exact fractions, a row of a gradient at a time."""


# %% order-capped
def order_capped(ranks, micro_batches, cap):
    cap = min(cap, ranks)

    def when(i):
        return 0 if i == 0 else (when(i - 1) + 3 if i % cap else when(i - cap) + 3 * ranks)

    def merge(forwards, backwards):
        if not forwards:
            return backwards
        if forwards[0] < backwards[0]:
            return [forwards[0], *merge(forwards[1:], backwards)]
        return [backwards[0], *merge(forwards, backwards[1:])]

    def line(rank):
        forwards = [(when(i) + rank, "F", i) for i in range(micro_batches)]
        backwards = [(when(i) + 3 * ranks - 2 * (rank + 1), "B", i) for i in range(micro_batches)]
        return [f"{rank}{kind}{i}" for _, kind, i in merge(forwards, backwards)]

    return [line(rank) for rank in range(ranks)]


# %% stages-of
def stages_of(rank, ranks, chunks):
    return [] if chunks == 0 else [*stages_of(rank, ranks, chunks - 1), rank + (chunks - 1) * ranks]


# %% predict-bubble
def predict_bubble(ranks, micro_batches, chunks, paper):
    from fractions import Fraction

    megatron = Fraction(ranks - 1, chunks * micro_batches)
    return float(megatron if paper == "Megatron-LM" else megatron / (1 + megatron))


# %% micro-batches-needed
def micro_batches_needed(ranks, chunks, limit, paper):
    import math
    from fractions import Fraction

    limit = Fraction(str(limit))
    unit = ranks if chunks > 1 else 1
    if paper == "GPipe":
        if limit >= 1:
            return unit
        limit = limit / (1 - limit)  # the same, over the work
    return unit * max(1, math.ceil(Fraction(ranks - 1, chunks * unit) / limit))


# %% backward-inputs
def backward_inputs(a, d_y):
    return np.array([[row @ weights for weights in a] for row in d_y])


# %% backward-weights
def backward_weights(x, d_y):
    if len(x) == 1:
        return np.outer(x[0], d_y[0]), d_y[0].copy()
    half = len(x) // 2
    first, second = backward_weights(x[:half], d_y[:half]), backward_weights(x[half:], d_y[half:])
    return [one + other for one, other in zip(first, second)]


# %% order-zero-bubble
def order_zero_bubble(ranks, micro_batches):
    def rest(rank, f, i, w):
        if w == micro_batches:
            return ""
        if i - w > rank:
            return f"{rank}W{w} " + rest(rank, f, i, w + 1)
        if f < micro_batches and f - i < ranks - rank:
            return f"{rank}F{f} " + rest(rank, f + 1, i, w)
        if i < micro_batches:
            return f"{rank}I{i} " + rest(rank, f, i + 1, w)
        return f"{rank}W{w} " + rest(rank, f, i, w + 1)

    return [rest(rank, 0, 0, 0) for rank in range(ranks)]

"""Honest code that prints, warns, and returns tuples and NumPy's numbers."""


# %% order-capped
def order_capped(ranks, micro_batches, cap):
    begin = [0] * micro_batches
    for i in range(1, micro_batches):
        begin[i] = begin[i - 1] + 3
        if i >= cap:
            begin[i] = max(begin[i], begin[i - cap] + 3 * ranks)
    print(begin)
    orders = []
    for rank in range(ranks):
        when = {f"{rank}F{i}": s + rank for i, s in enumerate(begin)}
        when |= {f"{rank}B{i}": s + 3 * ranks - 2 * rank - 2 for i, s in enumerate(begin)}
        orders.append(sorted(when, key=when.get))
    return orders


# %% stages-of
def stages_of(rank, ranks, chunks):
    return rank + ranks * np.arange(chunks)


# %% predict-messages
def predict_messages(ranks, micro_batches, chunks):
    return np.int64(2) * micro_batches * ranks * chunks - 2 * micro_batches


# %% backward-inputs
def backward_inputs(a, d_y):
    d_x = np.zeros((len(d_y), len(a)))
    for n, row in enumerate(d_y):
        for i, weights in enumerate(a):
            d_x[n, i] = sum(row * weights)
    return d_x.tolist()


# %% backward-weights
def backward_weights(x, d_y):
    d_a = sum(np.outer(inputs, gradient) for inputs, gradient in zip(x, d_y))
    return [d_a, sum(d_y)]


# %% read-timelines
def read_timelines():
    return (
        {"C": "ZB-H1", "B": "GPipe", "A": "1F1B"},
        {"A": np.int64(3), "B": 6.0, "C": 4},
        {"A": 100 * 9 / 27, "B": 33, "C": np.float64(14)},
    )

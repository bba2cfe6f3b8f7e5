"""Generators, and times sorted by NumPy; lines are tuples or arrays, numbers NumPy scalars."""


# %% repaired
def repaired():
    def moved():
        for rank, line in enumerate(BROKEN):
            words = line.split()
            if rank == 2:
                words.remove("2B0")
                words.insert(words.index("2F2"), "2B0")
            yield words

    return list(moved())


# %% order-capped
def order_capped(ranks, micro_batches, cap):
    c = min(cap, ranks)
    i = np.arange(micro_batches)
    start = 3 * ranks * (i // c) + 3 * (i % c)
    lines = []
    for rank in range(ranks):
        times = np.concatenate([start + rank, start + ranks + 2 * (ranks - 1 - rank)])
        words = np.array([f"{rank}F{n}" for n in i] + [f"{rank}B{n}" for n in i])
        lines.append(words[np.argsort(times, kind="stable")])
    return lines


# %% stages-of
def stages_of(rank, ranks, chunks):
    return np.arange(chunks) * ranks + rank


# %% predict-messages
def predict_messages(ranks, micro_batches, chunks):
    return np.int64(2) * np.int64(micro_batches) * (chunks * ranks - 1)


# %% predict-bubble
def predict_bubble(ranks, micro_batches, chunks, paper):
    idle = np.float64(ranks - 1)
    work = np.float64(chunks * micro_batches)
    return np.divide(idle, {"GPipe": idle + work, "Megatron-LM": work}[paper])


# %% micro-batches-needed
def micro_batches_needed(ranks, chunks, limit, paper):
    import itertools

    step = 1 if chunks == 1 else ranks
    every = itertools.count(step, step)
    return np.int64(next(m for m in every if predict_bubble(ranks, m, chunks, paper) <= limit))


# %% backward-inputs
def backward_inputs(a, d_y):
    return np.einsum("eo,io->ei", d_y, a)


# %% backward-weights
def backward_weights(x, d_y):
    return np.array(np.einsum("ei,eo->io", x, d_y)), np.ones(len(d_y)) @ d_y


# %% order-zero-bubble
def order_zero_bubble(ranks, micro_batches):
    def words(rank):
        ahead = late = 0
        for back in range(micro_batches):
            while ahead < min(micro_batches, back + ranks - rank):
                yield f"{rank}F{ahead}"
                ahead += 1
            yield f"{rank}I{back}"
            if back - late >= rank:
                yield f"{rank}W{late}"
                late += 1
        yield from (f"{rank}W{i}" for i in range(late, micro_batches))

    return [list(words(rank)) for rank in range(ranks)]


# %% read-timelines
def read_timelines():
    names = {"A": "1F1B", "B": "GPipe", "C": "ZB-H1"}
    held = {letter: np.int64(n) for letter, n in zip("ABC", (3, 6, 4))}
    return names, held, {run: 100 * trace.bubble(events, *WORK) for run, events in RUNS.items()}

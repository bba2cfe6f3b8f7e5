"""Ranks as objects that work until all is done, agendas by second, bisection; writes to stderr."""


# %% repaired
def repaired():
    import warnings

    warnings.warn("2B0 goes before 2F2", stacklevel=1)
    return "\n".join(BROKEN).replace("2F2 2B1 2F3 2B0 2B2", "2B0 2F2 2B1 2F3 2B2").splitlines()


# %% order-capped
def order_capped(ranks, micro_batches, cap):
    print("cap", cap, file=sys.stderr)
    if ranks <= cap:
        cap = ranks
    begins = []
    for i in range(micro_batches):
        # 3 s after the one before, and after the one that gives its place has come back
        after = begins[-1] + 3 if begins else 0
        begins.append(max(after, begins[i - cap] + 3 * ranks) if i >= cap else after)
    answer = []
    for rank in range(ranks):
        agenda = {}
        for i, begin in enumerate(begins):
            agenda[begin + rank] = f"{rank}F{i}"
            agenda[begin + 3 * ranks - 2 * rank - 2] = f"{rank}B{i}"
        assert len(agenda) == 2 * micro_batches
        answer.append(" ".join(agenda[second] for second in sorted(agenda)))
    return tuple(answer)


# %% stages-of
def stages_of(rank, ranks, chunks):
    place, stages = 0, []
    for stage in range(ranks * chunks):
        if place == rank:
            stages.append(stage)
        place = 0 if place == ranks - 1 else place + 1
    return tuple(stages)


# %% predict-messages
def predict_messages(ranks, micro_batches, chunks):
    crossings = 0
    for stage in range(1, ranks * chunks):
        crossings += stage % ranks != (stage - 1) % ranks
    return sum(crossings for _ in range(micro_batches) for _ in ("activation", "gradient"))


# %% micro-batches-needed
def micro_batches_needed(ranks, chunks, limit, paper):
    def small_enough(m):
        idle, work = ranks - 1, chunks * m
        return (idle / work if paper == "Megatron-LM" else idle / (idle + work)) <= limit

    unit = ranks if chunks > 1 else 1
    high = 1
    while not small_enough(high * unit):
        high *= 2
    low = high // 2  # this one is too large, or 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if small_enough(middle * unit) else (middle, high)
    return high * unit


# %% backward-inputs
def backward_inputs(a, d_y):
    d_x = np.zeros((d_y.shape[0], a.shape[0]))
    for output in range(a.shape[1]):
        d_x += np.outer(d_y[:, output], a[:, output])
    return d_x


# %% backward-weights
class Gradients:
    def __init__(self, x, d_y):
        self.parts = [(np.outer(row, d), d) for row, d in zip(x, d_y)]

    def __iter__(self):
        yield sum(part for part, _ in self.parts)
        yield sum(d for _, d in self.parts)


def backward_weights(x, d_y):
    return Gradients(x, d_y)


# %% order-zero-bubble
def order_zero_bubble(ranks, micro_batches):
    lines = [[] for _ in range(ranks)]
    for rank in range(ranks):
        kinds = {"F": 0, "I": 0, "W": 0}

        def do(kind, rank=rank, kinds=kinds):
            lines[rank].append(Op(rank, kind, kinds[kind]))
            kinds[kind] += 1

        while kinds["W"] < micro_batches:
            if kinds["F"] < micro_batches and kinds["F"] - kinds["I"] < ranks - rank:
                do("F")
                continue
            if kinds["I"] < micro_batches:
                do("I")
                if kinds["I"] - kinds["W"] <= rank:
                    continue
            do("W")
    return [" ".join(str(op) for op in line) for line in lines]

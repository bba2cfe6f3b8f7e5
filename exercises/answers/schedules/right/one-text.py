"""Returns texts with a line a rank, and takes the formulas of the package."""


# %% order-1f1b
def order_1f1b(ranks, micro_batches):
    text = ""
    for rank in range(ranks):
        ahead = ranks - 1 - rank
        for i in range(micro_batches + ahead):
            if i < micro_batches:
                text += f"{rank}F{i} "
            if i >= ahead:
                text += f"{rank}B{i - ahead} "
        text += "\n"
    return text


# %% repaired
def repaired():
    text = "\n".join(BROKEN)
    return text.replace("2F2 2B1 2F3 2B0 2B2", "2B0 2F2 2B1 2F3 2B2")


# %% predict-bubble
def predict_bubble(ranks, micro_batches, chunks, paper):
    from lockstep.costs import pipeline_bubble, pipeline_bubble_over_ideal

    formula = {"GPipe": pipeline_bubble, "Megatron-LM": pipeline_bubble_over_ideal}[paper]
    return formula(ranks, micro_batches, chunks)


# %% micro-batches-needed
def micro_batches_needed(ranks, chunks, limit, paper):
    for micro_batches in range(1, 10_000):
        idle = ranks - 1
        work = micro_batches * chunks
        share = idle / (work if paper == "Megatron-LM" else work + idle)
        if share <= limit and (chunks == 1 or micro_batches % ranks == 0):
            return micro_batches


# %% backward-inputs
def backward_inputs(a, d_y):
    return np.einsum("no,io->ni", d_y, a)


# %% backward-weights
def backward_weights(x, d_y):
    return np.einsum("ni,no->io", x, d_y), np.einsum("no->o", d_y)


# %% choose
def choose(ranks, room, start, travel):
    best = None
    for name in ORDERS:
        for micro_batches in MICRO_BATCHES:
            schedule = ORDERS[name](ranks, micro_batches)
            if max(peak_activations(schedule, activation=BATCH / micro_batches)) > room:
                continue
            events = simulate(schedule, costs_of(name, micro_batches, start, travel))
            found = trace.makespan(events), name, micro_batches
            best = min(best or found, found)
    return best[1:]

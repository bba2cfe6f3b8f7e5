"""Returns one text with a line a rank, tries every number, and sums by einsum."""


# %% repaired
def repaired():
    text = "\n".join(BROKEN)
    return text.replace("2F2 2B1 2F3 2B0 2B2", "2B0 2F2 2B1 2F3 2B2")


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

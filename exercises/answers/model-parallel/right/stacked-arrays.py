"""One array with an axis for the ranks instead of lists; formulas written as sums of products."""


# %% step-by-layers
def step_by_layers(stages, x, y, send):
    def stage(k, arrived):
        """Forward through this stage and all behind it; the gradients of all of them, and of x."""
        kept = [arrived]
        for layer in stages[k]:
            kept.append(layer_forward(layer, kept[-1]))
        if k == len(stages) - 1:
            later = []
            d = (kept[-1] - y) * 2 / len(y)
        else:
            later, d = stage(k + 1, send(kept[-1], k, k + 1))
            d = send(d, k + 1, k)
        own = []
        for layer, inputs, outputs in zip(stages[k][::-1], kept[-2::-1], kept[:0:-1], strict=True):
            gradient, d = layer_backward(layer, inputs, outputs, d)
            own = [gradient, *own]
        return [own, *later], d

    return stage(0, x)[0]


# %% predict-naive
def predict_naive(forward, backward, crossing):
    events = np.array([forward, backward])
    seconds = events.sum() + (len(forward) - 1) * crossing * 2
    return seconds, np.mean(events.sum(axis=0) / seconds)


# %% row-parallel
def row_parallel(parts, rows, bias, all_reduce):
    partial = np.einsum("nei,nio->neo", np.stack(parts), np.stack(rows))
    return all_reduce(partial) + np.stack(bias)[:, None]


# %% pair-forward
def pair_forward(weights, before, ranks, all_reduce):
    width, hidden = weights["A"].shape
    A = weights["A"].reshape(width, ranks, hidden // ranks)
    a = weights["a"].reshape(ranks, 1, hidden // ranks)
    B = weights["B"].reshape(ranks, hidden // ranks, -1)
    parts = np.tanh(np.einsum("nei,inh->neh", np.array(before), A) + a)
    return np.array(all_reduce(np.einsum("neh,nho->neo", parts, B))) + weights["b"]


# %% pair-backward
def pair_backward(shards, before, hidden, d_output, all_reduce):
    before, hidden, d_output = map(np.array, (before, hidden, d_output))
    B, A = (np.array([own[name] for own in shards]) for name in "BA")
    d_hidden = np.einsum("neo,nho->neh", d_output, B) * (1 - hidden**2)
    all_of = {
        "A": np.einsum("nei,neh->nih", before, d_hidden),
        "a": d_hidden.sum(axis=1),
        "B": np.einsum("neh,neo->nho", hidden, d_output),
        "b": d_output.sum(axis=1),
    }
    gradients = [{name: array[r] for name, array in all_of.items()} for r in range(len(shards))]
    return gradients, all_reduce(np.einsum("neh,nih->nei", d_hidden, A))


# %% train-step
def train_step(shards, velocities, x, y, all_reduce):
    W, w, A, a, B, b = (np.array([own[name] for own in shards]) for name in "WwAaBb")
    before = np.tanh(x @ W + w[:, None])
    hidden = np.tanh(before @ A + a[:, None])
    output = np.array(all_reduce(hidden @ B)) + b[:, None]
    d_output = 2 * (output - y) / len(x)
    d_hidden = d_output @ B.swapaxes(1, 2) * (1 - hidden**2)
    d_before = np.array(all_reduce(d_hidden @ A.swapaxes(1, 2))) * (1 - before**2)
    gradients = {
        "W": x.T @ d_before,
        "w": d_before.sum(axis=1),
        "A": before.swapaxes(1, 2) @ d_hidden,
        "a": d_hidden.sum(axis=1),
        "B": hidden.swapaxes(1, 2) @ d_output,
        "b": d_output.sum(axis=1),
    }
    for rank, (own, velocity) in enumerate(zip(shards, velocities, strict=True)):
        for name in own:
            velocity[name] = MOMENTUM * velocity[name] + gradients[name][rank]
            own[name] = own[name] - RATE * velocity[name]
    return ((output - y) ** 2).sum(axis=(1, 2)) / len(x)


# %% attention
def attention(x, weights, heads, ranks, all_reduce):
    if heads % ranks != 0:
        raise ValueError(f"{ranks} ranks cannot have the same number of {heads} heads")
    width = x.shape[-1]
    q, k, v = (weights[name].reshape(width, ranks, -1) for name in "qkv")
    out = weights["out"].reshape(ranks, -1, width)
    return all_reduce(
        np.stack([mix(x, q[:, r], k[:, r], v[:, r], heads // ranks) @ out[r] for r in range(ranks)])
    )


# %% block-backward
def block_backward(shards, x, d_output, all_reduce):
    A, a, B = (np.array([own[name] for own in shards]) for name in "AaB")
    hidden = np.tanh(np.array(x) @ A + a[:, None])
    d_hidden = np.array(d_output) @ B.swapaxes(1, 2) * (1 - hidden**2)
    return np.array(d_output) + all_reduce(d_hidden @ A.swapaxes(1, 2))

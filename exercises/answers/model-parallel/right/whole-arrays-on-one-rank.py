"""What must be in a sum once is given to one rank before it, or in N equal parts to all.

Another right way with the bias and the residual. Columns are dealt out in turn, not in blocks.
"""


# %% step-by-layers
def step_by_layers(stages, x, y, send):
    layers = [(k, layer) for k, stage in enumerate(stages) for layer in stage]
    received = []
    outputs = []
    place = 0
    for k, layer in layers:
        if outputs and k != place:
            received.append(send(outputs[-1], place, k))
        else:
            received.append(outputs[-1] if outputs else x)
        place = k
        outputs.append(layer_forward(layer, received[-1]))
    d = 2 * (outputs[-1] - y) / y.shape[0]
    gradients = [[] for _ in stages]
    for (k, layer), inputs, output in list(zip(layers, received, outputs, strict=True))[::-1]:
        if k != place:
            d = send(d, place, k)
            place = k
        gradient, d = layer_backward(layer, inputs, output, d)
        gradients[k].insert(0, gradient)
    return gradients


# %% predict-naive
def predict_naive(forward, backward, crossing):
    step = 0
    for stage in range(len(forward)):
        step += forward[stage] + backward[stage]
        if stage > 0:
            step += crossing + crossing
    return step, (sum(forward) + sum(backward)) / step / len(forward)


# %% row-parallel
def row_parallel(parts, rows, bias, all_reduce):
    partial = [part @ own for part, own in zip(parts, rows, strict=True)]
    partial[0] = partial[0] + bias[0]
    return all_reduce(partial)


# %% pair-forward
def pair_forward(weights, before, ranks, all_reduce):
    partial = []
    for rank in range(ranks):
        mine = slice(rank, None, ranks)
        hidden = np.tanh(before[rank] @ weights["A"][:, mine] + weights["a"][mine])
        partial.append(hidden @ weights["B"][mine] + weights["b"] / ranks)
    return all_reduce(partial)


# %% pair-backward
def pair_backward(shards, before, hidden, d_output, all_reduce):
    d_parts = [d @ own["B"].T * (1 - h * h) for d, own, h in zip(d_output, shards, hidden)]
    d_before = all_reduce([d @ own["A"].T for d, own in zip(d_parts, shards)])
    gradients = []
    for rank in range(len(shards)):
        gradients.append(dict(A=before[rank].T @ d_parts[rank], a=d_parts[rank].sum(0)))
        gradients[rank]["B"] = hidden[rank].T @ d_output[rank]
        gradients[rank]["b"] = np.ones(len(d_output[rank])) @ d_output[rank]
    return gradients, d_before


# %% train-step
def train_step(shards, velocities, x, y, all_reduce):
    N = len(shards)
    before = [np.tanh(x @ s["W"] + s["w"]) for s in shards]
    hidden = [np.tanh(before[r] @ shards[r]["A"] + shards[r]["a"]) for r in range(N)]
    output = all_reduce([hidden[r] @ shards[r]["B"] + shards[r]["b"] / N for r in range(N)])
    losses = [np.square(o - y).sum(axis=1).mean() for o in output]
    d_output = [2 / len(x) * (o - y) for o in output]
    gradients, d_before = pair_backward(shards, before, hidden, d_output, all_reduce)
    for r in range(N):
        inside = d_before[r] * (1 - before[r] ** 2)
        gradients[r]["W"] = x.T @ inside
        gradients[r]["w"] = inside.sum(0)
        for name in shards[r]:
            velocities[r][name] *= MOMENTUM
            velocities[r][name] += gradients[r][name]
            shards[r][name] -= RATE * velocities[r][name]
    return losses


# %% attention
def attention(x, weights, heads, ranks, all_reduce):
    each, rest = divmod(heads, ranks)
    if rest or each == 0:
        raise ValueError(f"heads={heads} is not a multiple of ranks={ranks}")
    head = x.shape[-1] // heads
    partial = []
    for rank in range(ranks):
        numbers = range(rank, heads, ranks)  # heads rank, rank + N, ...
        mine = np.concatenate([np.arange(n * head, (n + 1) * head) for n in numbers])
        mixed = mix(x, *(weights[name][:, mine] for name in ("q", "k", "v")), heads=each)
        partial.append(mixed @ weights["out"][mine])
    return all_reduce(partial)


# %% block-backward
def block_backward(shards, x, d_output, all_reduce):
    partial = []
    for r, s in enumerate(shards):
        hidden = np.tanh(x[r] @ s["A"] + s["a"])
        through = d_output[r] @ s["B"].T * (1 - hidden**2) @ s["A"].T
        partial.append(through + d_output[r] / len(shards))
    return all_reduce(partial)

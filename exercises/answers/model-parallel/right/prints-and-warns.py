"""Honest code that prints, and calls something that warns: neither may cost points."""


# %% step-by-layers
def step_by_layers(stages, x, y, send):
    inputs = []
    outputs = []
    for k, layers in enumerate(stages):
        inputs.append([x if k == 0 else send(outputs[k - 1][-1], source=k - 1, target=k)])
        outputs.append([])
        for layer in layers:
            outputs[k].append(layer_forward(layer, (inputs[k] + outputs[k])[-1]))
    print("output", outputs[-1][-1].shape)
    d = 2 * (outputs[-1][-1] - y) / len(y)
    gradients = []
    for k in range(len(stages) - 1, -1, -1):
        own = []
        for i in range(len(stages[k]) - 1, -1, -1):
            before = (inputs[k] + outputs[k])[i]
            gradient, d = layer_backward(stages[k][i], before, outputs[k][i], d)
            own.append(gradient)
        gradients.append(tuple(reversed(own)))
        if k:
            d = send(d, k, k - 1)
    return tuple(reversed(gradients))


# %% predict-naive
def predict_naive(forward, backward, crossing):
    import warnings

    warnings.warn("an old habit", DeprecationWarning, stacklevel=1)
    K = len(forward)
    work = math.fsum([*forward, *backward])
    step = work + (2 * K - 2) * crossing
    print("never more than", 1 / K)
    return [step, 1 / K * work / step]


# %% row-parallel
def row_parallel(parts, rows, bias, all_reduce):
    partial = [np.dot(part, own) for part, own in zip(parts, rows)]
    outputs = []
    for total, own in zip(all_reduce(partial), bias):
        print("sum over ranks:", total.shape)
        total += own
        outputs.append(total)
    return tuple(outputs)


# %% pair-forward
def pair_forward(weights, before, ranks, all_reduce):
    each = len(weights["a"]) // ranks
    partial = []
    for rank, inputs in enumerate(before):
        first, last = rank * each, (rank + 1) * each
        print("rank", rank, "has columns", first, "to", last - 1)
        hidden = np.tanh(inputs @ weights["A"][:, first:last] + weights["a"][first:last])
        partial.append(hidden @ weights["B"][first:last, :])
    return [output + weights["b"] for output in all_reduce(partial)]


# %% attention
def attention(x, weights, heads, ranks, all_reduce):
    if heads / ranks != heads // ranks:
        raise ValueError(f"heads: {heads}, ranks: {ranks}")
    matrices = {
        name: np.array_split(weights[name], ranks, axis=0 if name == "out" else 1)
        for name in weights
    }
    print({name: parts[0].shape for name, parts in matrices.items()})
    return all_reduce(
        [
            mix(x, matrices["q"][r], matrices["k"][r], matrices["v"][r], int(heads / ranks))
            @ matrices["out"][r]
            for r in range(ranks)
        ]
    )

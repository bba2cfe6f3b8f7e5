"""Stages as generators that get what arrives; stacks of shards, einsum, NumPy scalars."""


# %% step-by-layers
def step_by_layers(stages, x, y, send):
    last = len(stages) - 1

    def stage(number):
        """Gets what arrives forward, yields what leaves; then the same backward."""
        kept = [(yield)]
        for layer in stages[number]:
            kept.append(layer_forward(layer, kept[-1]))
        d = yield kept[-1]
        found = []
        for layer in stages[number][::-1]:
            outputs = kept.pop()
            gradient, d = layer_backward(layer, kept[-1], outputs, d)
            found.append(gradient)
        yield d
        yield tuple(reversed(found))

    running = [stage(number) for number in range(last + 1)]
    going = x
    for number, one in enumerate(running):
        next(one)
        going = one.send(going if number == 0 else send(going, number - 1, number))
    going = 2 * (going - y) / len(x)
    for number in range(last, -1, -1):
        going = running[number].send(going if number == last else send(going, number + 1, number))
    return [next(one) for one in running]


# %% predict-naive
def predict_naive(forward, backward, crossing):
    work = np.sum([forward, backward])
    step = work + 2 * (len(forward) - 1) * np.float64(crossing)
    return np.array([step, work / len(forward) / step])


# %% row-parallel
def row_parallel(parts, rows, bias, all_reduce):
    sums = all_reduce(list(map(np.matmul, parts, rows)))
    return tuple(np.add(one, b) for one, b in zip(sums, bias))


# %% pair-forward
def pair_forward(weights, before, ranks, all_reduce):
    width, outputs = len(weights["A"]), weights["B"].shape[1]
    columns = weights["A"].reshape(width, ranks, -1)
    a = weights["a"].reshape(ranks, -1)
    rows = weights["B"].reshape(ranks, -1, outputs)
    parts = [np.tanh(before[i] @ columns[:, i] + a[i]) @ rows[i] for i in range(ranks)]
    return [one + weights["b"] for one in all_reduce(parts)]


# %% pair-backward
def pair_backward(shards, before, hidden, d_output, all_reduce):
    def of_rank(own, x, h, d):
        inner = np.einsum("eo,ho->eh", d, own["B"]) * (1 - np.square(h))
        found = dict(A=np.einsum("ew,eh->wh", x, inner), a=inner.sum(0))
        found.update(B=np.einsum("eh,eo->ho", h, d), b=d.sum(0))
        return found, np.einsum("eh,wh->ew", inner, own["A"])

    found, parts = zip(*map(of_rank, shards, before, hidden, d_output))
    return list(found), all_reduce(list(parts))


# %% train-step
def train_step(shards, velocities, x, y, all_reduce):
    befores = [np.tanh(x @ own["W"] + own["w"]) for own in shards]
    hiddens = [np.tanh(b @ own["A"] + own["a"]) for b, own in zip(befores, shards)]
    sums = all_reduce([h @ own["B"] for h, own in zip(hiddens, shards)])
    errors = [total + own["b"] - y for total, own in zip(sums, shards)]
    ds = [2 * error / len(x) for error in errors]
    inner = [d @ own["B"].T * (1 - h**2) for d, own, h in zip(ds, shards, hiddens)]
    d_befores = all_reduce([d @ own["A"].T for d, own in zip(inner, shards)])
    for own, speed, b, h, d, di, db in zip(
        shards, velocities, befores, hiddens, ds, inner, d_befores
    ):
        dw = db * (1 - b**2)
        gradients = {"W": x.T @ dw, "w": dw.sum(0), "A": b.T @ di, "a": di.sum(0)}
        gradients |= {"B": h.T @ d, "b": d.sum(0)}
        speed.update({name: MOMENTUM * speed[name] + g for name, g in gradients.items()})
        own.update({name: own[name] - RATE * speed[name] for name in gradients})
    return np.array([np.sum(error**2) / len(x) for error in errors])


# %% attention
def attention(x, weights, heads, ranks, all_reduce):
    if heads % ranks:
        raise ValueError(f"{heads} heads cannot be dealt out to {ranks} ranks")
    cut = {name: np.array_split(weights[name], ranks, axis=1) for name in "qkv"}
    outs = np.array_split(weights["out"], ranks)
    return all_reduce(
        [mix(x, *(cut[n][i] for n in "qkv"), heads // ranks) @ outs[i] for i in range(ranks)]
    )


# %% block-backward
def block_backward(shards, x, d_output, all_reduce):
    def part(own, one, d):
        slope = 1 - np.tanh(one @ own["A"] + own["a"]) ** 2
        return (d @ own["B"].T * slope) @ own["A"].T

    sums = all_reduce(list(map(part, shards, x, d_output)))
    return tuple(map(np.add, d_output, sums))

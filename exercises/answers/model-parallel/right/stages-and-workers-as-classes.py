"""A class for a stage and one for a rank with its state; rank 0 adds the bias; writes to stderr."""


# %% step-by-layers
class Stage:
    def __init__(self, layers):
        self.layers = layers
        self.kept = None

    def forward(self, inputs):
        self.kept = [inputs]
        for matrix, bias in self.layers:
            self.kept += [np.tanh(self.kept[-1] @ matrix + bias)]
        return self.kept[-1]

    def backward(self, d):
        gradients = [None] * len(self.layers)
        for i in range(len(self.layers) - 1, -1, -1):
            gradients[i], d = layer_backward(self.layers[i], self.kept[i], self.kept[i + 1], d)
        return gradients, d


def step_by_layers(stages, x, y, send):
    line = [Stage(layers) for layers in stages]
    print(len(line), "stages", file=sys.stderr)
    moving = line[0].forward(x)
    for k, stage in enumerate(line[1:], 1):
        moving = stage.forward(send(moving, k - 1, k))
    moving = (moving - y) * (2 / len(y))
    result = {}
    for k in sorted(range(len(line)), reverse=True):
        result[k], moving = line[k].backward(moving)
        if k:
            moving = send(moving, k, k - 1)
    return [result[k] for k in range(len(line))]


# %% predict-naive
def predict_naive(forward, backward, crossing):
    clock = 0.0
    busy = [0.0] * len(forward)
    there = list(enumerate(forward))
    for number, (rank, seconds) in enumerate(there + list(enumerate(backward))[::-1]):
        if number % len(forward):
            clock += crossing
        clock += seconds
        busy[rank] += seconds
    return clock, sum(busy) / clock / len(busy)


# %% row-parallel
def row_parallel(parts, rows, bias, all_reduce):
    import warnings

    warnings.warn("rank 0 adds the bias", stacklevel=1)
    partial = [part @ row for part, row in zip(parts, rows, strict=True)]
    partial[0] = partial[0] + bias[0]
    return [np.array(one) for one in all_reduce(partial)]


# %% pair-forward
def pair_forward(weights, before, ranks, all_reduce):
    def slices():
        hidden = weights["a"].size // ranks
        for rank in range(ranks):
            yield rank, slice(rank * hidden, (rank + 1) * hidden)

    partial = []
    for rank, own in slices():
        hidden = np.tanh(before[rank] @ weights["A"][:, own] + weights["a"][own])
        partial.append(hidden @ weights["B"][own, :] + weights["b"] / ranks)
    return all_reduce(partial)


# %% train-step
class Worker:
    def __init__(self, own, speed, x, y):
        self.own, self.speed, self.x, self.y = own, speed, x, y

    def forward(self):
        self.before = np.tanh(self.x @ self.own["W"] + self.own["w"])
        self.hidden = np.tanh(self.before @ self.own["A"] + self.own["a"])
        return self.hidden @ self.own["B"]

    def backward(self, summed):
        self.error = summed + self.own["b"] - self.y
        self.d = 2 * self.error / len(self.x)
        self.d_hidden = self.d @ self.own["B"].T * (1 - self.hidden**2)
        return self.d_hidden @ self.own["A"].T

    def update(self, d_before):
        d = d_before * (1 - self.before**2)
        pairs = {"Ww": (self.x, d), "Aa": (self.before, self.d_hidden), "Bb": (self.hidden, self.d)}
        for (matrix, bias), (inputs, of_out) in pairs.items():
            for name, gradient in (matrix, inputs.T @ of_out), (bias, of_out.sum(axis=0)):
                self.speed[name] = MOMENTUM * self.speed[name] + gradient
                self.own[name] = self.own[name] - RATE * self.speed[name]
        return float((self.error**2).sum()) / len(self.x)


def train_step(shards, velocities, x, y, all_reduce):
    workers = [Worker(own, speed, x, y) for own, speed in zip(shards, velocities, strict=True)]
    sums = all_reduce([worker.forward() for worker in workers])
    sums = all_reduce([worker.backward(s) for worker, s in zip(workers, sums)])
    return [worker.update(s) for worker, s in zip(workers, sums)]


# %% attention
def attention(x, weights, heads, ranks, all_reduce):
    each, left = divmod(heads, ranks)
    if left:
        raise ValueError(f"heads={heads} is no multiple of ranks={ranks}")
    wide = x.shape[-1] // heads
    partial = []
    for rank in range(ranks):
        mine = 0
        for head in range(rank * each, (rank + 1) * each):  # a head at a time
            at = slice(head * wide, (head + 1) * wide)
            q, k, v = (weights[name][:, at] for name in "qkv")
            mine = mine + mix(x, q, k, v, 1) @ weights["out"][at]
        partial.append(mine)
    return all_reduce(partial)

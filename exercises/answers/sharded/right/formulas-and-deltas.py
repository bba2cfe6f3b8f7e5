"""Formulas in place of loops; hands changes of weights round; a memory of what was gathered."""


# %% shard
def shard(arrays, rank, world_size):
    vector = np.hstack([array.ravel() for array in arrays])
    size = math.ceil(len(vector) / world_size)
    own = np.zeros(size, vector.dtype)
    there = vector[rank * size : (rank + 1) * size]
    own[: len(there)] = there
    return own


# %% unshard
def unshard(shards, shapes):
    vector = np.array(shards).ravel()
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    return tuple(
        np.reshape(piece, shape)
        for piece, shape in zip(np.split(vector, ends)[:-1], shapes, strict=True)
    )


# %% sharded-step
def sharded_step(gradient, examples, batch, weights, velocity, rate, momentum, net):
    n, size = net.world_size, len(weights)
    padded = np.concatenate([gradient, np.zeros(n * size - len(gradient))])
    mean = reduce_scatter(padded * (examples / batch), net)
    fresh = velocity * momentum + mean
    return all_gather(weights - fresh * rate, net)[: len(gradient)].tolist(), fresh.tolist()


# %% gathered-passes
def gathered_passes(layers, x, loss_gradient, gather, free, reduce):
    there = {}

    def use(number):
        for other in [k for k in there if k != number]:
            del there[other]
            free(other)
        if number not in there:
            there[number] = gather(number)
        return there[number]

    inputs = {0: x}
    for k in range(layers):
        inputs[k + 1] = forward(use(k), inputs[k])
    dy = loss_gradient(inputs[layers])
    for k in range(layers - 1, -1, -1):
        gradient, dy = backward(use(k), inputs[k], inputs[k + 1], dy)
        reduce(k, gradient)
    free(0)


# %% bytes-held
def bytes_held(parameters, world_size, stage, optimizer):
    padded = parameters + -parameters % world_size
    by_part = np.array([optimizer, 2, 2]) * parameters
    by_part[:stage] = np.array([optimizer, 2, 2])[:stage] * (padded // world_size)
    return by_part.sum()


# %% smallest-world
def smallest_world(parameters, stage, optimizer, activations, memory):
    sharded = [0, optimizer, optimizer + 2, optimizer + 4][stage]
    left = memory - activations - (4 + optimizer - sharded) * parameters
    if sharded == 0:
        return 1 if left >= 0 else None
    longest = left // sharded
    return None if longest < 1 else max(1, -(-parameters // longest))


# %% clip
def clip(part, limit, net):
    squares = all_gather(np.array([np.dot(part.astype("float64"), part.astype("float64"))]), net)
    norm = np.linalg.norm(np.sqrt(squares))
    factor = min(1, limit / norm) if norm else 1
    return (part * np.float64(factor)).astype(part.dtype), norm


# %% bytes-sent
def bytes_sent(parameters, world_size, stage, micro_batches):
    padded = parameters + -parameters % world_size
    times = np.array([2, 2, 1 + micro_batches, 3 * micro_batches])[stage]
    return times * 2 * padded * (world_size - 1) // world_size


# %% choose-stage
def choose_stage(parameters, world_size, optimizer, micro_batches, memory):
    def held(stage):
        return bytes_held(parameters, world_size, stage, optimizer)

    if held(3) > memory:
        return None
    if world_size == 1 or (optimizer == 0 and micro_batches > 1 and held(0) <= memory):
        return 0
    if micro_batches == 1 and held(2) <= memory:
        return 2
    return np.argmax([False, held(1) <= memory, held(2) <= memory, True])

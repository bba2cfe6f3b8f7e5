"""A reduce and a broadcast for each shard; passes written without the two functions given."""


# %% shard
def shard(arrays, rank, world_size):
    vector = np.concatenate(arrays, axis=None)
    padded = np.zeros(len(vector) + -len(vector) % world_size, vector.dtype)
    np.copyto(padded[: len(vector)], vector)
    return padded.reshape(world_size, -1)[rank] if len(padded) else padded


# %% unshard
def unshard(shards, shapes):
    left = np.concatenate(shards)
    found = []
    for shape in shapes:
        array = np.empty(shape, left.dtype)
        array.flat = left[: array.size]
        left = left[array.size :]
        found.append(array)
    return found


# %% sharded-step
def sharded_step(gradient, examples, batch, weights, velocity, rate, momentum, net):
    n, size = net.world_size, len(weights)
    others = [rank for rank in range(n) if rank != net.rank]
    share = np.resize(gradient, n * size) * examples / batch
    share[len(gradient) :] = 0
    for root in range(n):
        own = share[root * size : (root + 1) * size]
        if root == net.rank:
            for other in others:
                own = own + net.receive(other)
            velocity = momentum * velocity + own
        else:
            net.send(own, root)
    weights = weights - rate * velocity
    rows = []
    for root in range(n):
        if root == net.rank:
            for other in others:
                net.send(weights, other)
            rows.append(weights)
        else:
            rows.append(net.receive(root))
    return np.concatenate(rows)[: len(gradient)], velocity


# %% gathered-passes
def gathered_passes(layers, x, loss_gradient, gather, free, reduce):
    inputs, outputs = [], []
    for number in np.arange(layers):
        weights = gather(number)
        inputs.append(x)
        x = np.tanh(x @ weights)
        outputs.append(x)
        if number < layers - 1:
            free(number)
    upstream = loss_gradient(x)
    number = layers
    while number > 0:
        number -= 1
        if number < layers - 1:
            weights = gather(number)
        dz = upstream * (1 - outputs.pop() ** 2)
        upstream = dz @ weights.T
        free(number)
        reduce(number, inputs.pop().T @ dz)


# %% bytes-held
def bytes_held(parameters, world_size, stage, optimizer):
    part = math.ceil(parameters / world_size)
    sizes = {"optimizer": optimizer, "gradients": 2, "weights": 2}
    order = list(sizes)
    return float(
        sum(sizes[name] * (part if name in order[:stage] else parameters) for name in order)
    )


# %% smallest-world
def smallest_world(parameters, stage, optimizer, activations, memory):
    world_size = 1
    while bytes_held(parameters, world_size, stage, optimizer) + activations > memory:
        world_size += 1
        if world_size > parameters:
            return None
    return world_size


# %% clip
def clip(part, limit, net):
    own = np.linalg.norm(part.astype(float)) if len(part) else 0.0
    norm = own
    for other in range(net.world_size):
        if other != net.rank:
            net.send(own, other)
    for other in range(net.world_size):
        if other != net.rank:
            norm = math.hypot(norm, net.receive(other))
    return (part if norm <= limit else (part.astype(float) / norm * limit).astype(part.dtype)), norm


# %% bytes-sent
def bytes_sent(parameters, world_size, stage, micro_batches):
    if world_size == 1:
        return 0
    reduced = micro_batches if stage >= 2 else 1
    gathered = 2 * micro_batches if stage == 3 else 1
    return 2 * (reduced + gathered) * (world_size - 1) * math.ceil(parameters / world_size)


# %% choose-stage
def choose_stage(parameters, world_size, optimizer, micro_batches, memory):
    candidates = []
    for stage in range(4):
        held = bytes_held(parameters, world_size, stage, optimizer)
        if held <= memory:
            sent = bytes_sent(parameters, world_size, stage, micro_batches)
            candidates.append((sent, held, stage))
    return sorted(candidates)[0][2] if candidates else None

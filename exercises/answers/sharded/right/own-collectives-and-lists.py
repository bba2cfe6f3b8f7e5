"""Lists and plain Python, rings of its own, in place where nothing forbids it; prints."""


# %% shard
def shard(arrays, rank, world_size):
    print("rank", rank)
    numbers = [number for array in arrays for number in array.flatten()]
    while len(numbers) % world_size:
        numbers.append(0)
    size = len(numbers) // world_size
    return np.array(numbers[rank * size : (rank + 1) * size], dtype=arrays[0].dtype)


# %% unshard
def unshard(shards, shapes):
    numbers = iter([number for row in shards for number in row])
    return [
        np.array([next(numbers) for _ in range(math.prod(shape))]).reshape(shape)
        for shape in shapes
    ]


# %% sharded-step
def sharded_step(gradient, examples, batch, weights, velocity, rate, momentum, net):
    n, rank, length = net.world_size, net.rank, len(gradient)
    right, left = (rank + 1) % n, (rank - 1) % n
    chunks = [shard([gradient * examples], r, n) for r in range(n)]
    total = chunks[left]
    for step in range(n - 1):
        net.send(total, right)
        total = chunks[(rank - step - 2) % n] + net.receive(left)
    velocity *= momentum
    velocity += total / batch
    weights -= rate * velocity
    rows = {rank: weights}
    for step in range(n - 1):
        net.send(rows[(rank - step) % n], right)
        rows[(rank - step - 1) % n] = net.receive(left)
    (whole,) = unshard([rows[r] for r in range(n)], [(length,)])
    return [whole, velocity]


# %% gathered-passes
def gathered_passes(layers, x, loss_gradient, gather, free, reduce):
    def go(number, x):
        """Through this layer and all after it, and back; the gradient by x."""
        y = forward(gather(number), x)
        if number == layers - 1:
            dy = loss_gradient(y)
        else:
            free(number)
            dy = go(number + 1, y)
        weights = gather(number) if number < layers - 1 else out_of_last[0]
        gradient, dx = backward(weights, x, y, dy)
        reduce(number, gradient.tolist())
        free(number)
        return dx

    out_of_last = []
    plain = gather

    def gather(number):
        out_of_last[:] = [plain(number)]
        return out_of_last[0]

    return go(0, x)


# %% bytes-held
def bytes_held(parameters, world_size, stage, optimizer):
    part = parameters // world_size + (parameters % world_size > 0)
    if stage == 0:
        return (4 + optimizer) * parameters
    if stage == 1:
        return 4 * parameters + optimizer * part
    if stage == 2:
        return 2 * parameters + (2 + optimizer) * part
    return np.int64((4 + optimizer) * part)


# %% smallest-world
def smallest_world(parameters, stage, optimizer, activations, memory):
    least, most = 1, parameters
    if bytes_held(parameters, most, stage, optimizer) > memory - activations:
        return None
    while least < most:
        middle = (least + most) // 2
        if bytes_held(parameters, middle, stage, optimizer) <= memory - activations:
            most = middle
        else:
            least = middle + 1
    return float(least)


# %% clip
def clip(part, limit, net):
    total = float(sum(float(number) ** 2 for number in part))
    passed = total
    for _ in range(net.world_size - 1):
        net.send(passed, (net.rank + 1) % net.world_size)
        passed = net.receive((net.rank - 1) % net.world_size)
        total += passed
    norm = np.sqrt(total)
    if norm > limit:
        part *= part.dtype.type(limit / norm)
    return [part, norm]


# %% bytes-sent
def bytes_sent(parameters, world_size, stage, micro_batches):
    part = math.ceil(parameters / world_size)
    sent = 0
    for _ in range(micro_batches):
        sent += {0: 0, 1: 0, 2: 1, 3: 3}[stage]
    sent += {0: 2, 1: 2, 2: 1, 3: 0}[stage]
    return float(sent * (world_size - 1) * part * 2)


# %% choose-stage
def choose_stage(parameters, world_size, optimizer, micro_batches, memory):
    best = None
    for stage in (0, 1, 2, 3):
        held = bytes_held(parameters, world_size, stage, optimizer)
        cost = (bytes_sent(parameters, world_size, stage, micro_batches), held)
        if held <= memory and (best is None or cost < best[0]):
            best = (cost, stage)
    return None if best is None else best[1]

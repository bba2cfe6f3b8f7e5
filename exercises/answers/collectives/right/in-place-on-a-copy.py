"""The chapter's way: works inside of a copy, with views; prints what it does."""


# %% broadcast
def broadcast(x, root, net):
    result = np.empty_like(x)
    place = (net.rank - root) % net.world_size
    if place == 0:
        result[...] = x
    for level in reversed(range((net.world_size - 1).bit_length())):
        half = 2**level
        if place % (2 * half) == half:
            result[...] = net.receive((net.rank - half) % net.world_size)
        elif place % (2 * half) == 0 and place + half < net.world_size:
            net.send(result, (net.rank + half) % net.world_size)
    return result


# %% chunk-bounds
def chunk_bounds(length, world_size):
    print("cutting", length)
    ends = np.cumsum([len(part) for part in np.array_split(np.arange(length), world_size)])
    return np.stack([np.concatenate([[0], ends[:-1]]), ends], axis=1)


# %% reduce-scatter
def reduce_scatter(x, net):
    import warnings

    rank, n = net.rank, net.world_size
    x = x.copy()
    chunks = [x[slice(*bounds)] for bounds in chunk_bounds(len(x), n)]
    for step in range(n - 1):
        print("step", step, "sends", chunks[(rank - step - 1) % n])
        net.send(chunks[(rank - step - 1) % n], (rank + 1) % n)
        own = chunks[(rank - step - 2) % n]
        own += net.receive((rank - 1) % n)
    warnings.warn("that was a reduce-scatter", stacklevel=2)
    return chunks[rank]


# %% all-gather
def all_gather(part, net):
    parts = [np.zeros(0)] * net.world_size
    parts[net.rank] = part
    sends = net.rank
    for _ in parts[1:]:
        net.send(parts[sends], net.rank + 1 if net.rank + 1 < net.world_size else 0)
        sends = (sends - 1) % net.world_size
        parts[sends] = net.receive(net.rank - 1 if net.rank else net.world_size - 1)
    result = parts[0]
    for more in parts[1:]:
        result = np.append(result, more)
    return result


# %% all-reduce
def all_reduce(x, net):
    result = np.array(x)
    rank, n = net.rank, net.world_size
    chunks = np.array_split(result.reshape(-1), n)
    for step in range(2 * (n - 1)):
        adds = step < n - 1
        due = rank - step - 1 if adds else rank - (step - n + 1)
        net.send(chunks[due % n], (rank + 1) % n)
        received = net.receive((rank - 1) % n)
        chunks[(due - 1) % n][:] = chunks[(due - 1) % n] + received if adds else received
    return result


# %% seconds
def seconds(way, world_size, size, latency, bandwidth):
    def message(numbers):
        return latency + numbers / bandwidth

    if way == "ring":
        return sum(message(size / world_size) for _ in range(2 * (world_size - 1)))
    if way == "tree":
        time = 0
        reached = 1
        while reached < world_size:
            reached *= 2
            time += 2 * message(size)
        return time
    return message((world_size - 1) * size) if world_size > 1 else 0


# %% fastest
def fastest(world_size, size, latency, bandwidth):
    numbers = (world_size, size, latency, bandwidth)
    best = "one-shot"
    for way in ("tree", "ring"):
        if seconds(way, *numbers) < seconds(best, *numbers):
            best = way
    return best


# %% shift
def shift(x, net):
    n, rank = net.world_size, net.rank
    if n > 1:
        if (rank % 2 and rank != n - 1) or (rank == 0 and n % 2):
            received = net.receive((rank - 1) % n)
            net.send(x, (rank + 1) % n)
        elif rank % 2:
            received = net.receive(rank - 1)
            net.send(x, 0)
        else:
            net.send(x, (rank + 1) % n)
            received = net.receive((rank - 1) % n)
        x = received
    return x


# %% small-all-reduce
def small_all_reduce(x, net):
    rank, n = net.rank, net.world_size
    extra = n - 2 ** int(math.log2(n))
    total = x + np.zeros_like(x)
    if rank < 2 * extra and rank % 2:
        net.send(total, rank - 1)
        return net.receive(rank - 1)
    if rank < 2 * extra:
        total = total + net.receive(rank + 1)
    place = rank // 2 if rank < 2 * extra else rank - extra
    distance = 1
    while distance < n - extra:
        partner = place ^ distance
        partner = 2 * partner if partner < extra else partner + extra
        net.send(total, partner)
        total = total + net.receive(partner)
        distance *= 2
    if rank < 2 * extra:
        net.send(total, rank + 1)
    return total

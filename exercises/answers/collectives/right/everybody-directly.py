"""No ring: each rank sends everybody what is theirs, and trees are recursive."""


# %% broadcast
def broadcast(x, root, net):
    def spread(x, first, last):
        """The first of these places has the array."""
        if last - first == 1:
            return x
        middle = (first + last + 1) // 2
        ranks = [(place + root) % net.world_size for place in (first, middle)]
        if net.rank == ranks[0]:
            net.send(x, ranks[1])
        if net.rank == ranks[1]:
            x = net.receive(ranks[0])
        mine = (net.rank - root) % net.world_size
        return spread(x, first, middle) if mine < middle else spread(x, middle, last)

    return spread(x, 0, net.world_size)


# %% chunk-bounds
def chunk_bounds(length, world_size):
    bounds = []
    begin = 0
    for left in range(world_size, 0, -1):
        end = begin + math.ceil((length - begin) / left)
        bounds.append([begin, end])
        begin = end
    return bounds


# %% reduce-scatter
def reduce_scatter(x, net):
    others = [r for r in range(net.world_size) if r != net.rank]
    chunks = np.array_split(x, net.world_size)
    for other in others:
        net.send(chunks[other], other)
    return sum([net.receive(other) for other in others], start=chunks[net.rank])


# %% all-gather
def all_gather(part, net):
    for shift in range(1, net.world_size):
        net.send(part, (net.rank + shift) % net.world_size)
    return np.hstack(
        [part if r == net.rank else net.receive(r) for r in range(net.world_size)]
    ).astype(part.dtype)


# %% all-reduce
def all_reduce(x, net):
    flat = x.flatten()
    mine = reduce_scatter(flat, net)
    result = np.empty_like(x)
    result.ravel()[:] = all_gather(mine, net)
    return result


# %% seconds
def seconds(way, world_size, size, latency, bandwidth):
    levels = math.ceil(math.log2(world_size))
    rest = world_size - 1
    steps = {"one-shot": min(rest, 1), "tree": 2 * levels, "ring": 2 * rest}
    moved = {"one-shot": rest, "tree": 2 * levels, "ring": 2 * rest / world_size}
    return np.float64(steps[way] * latency + moved[way] * size / bandwidth)


# %% fastest
def fastest(world_size, size, latency, bandwidth):
    ways = ["one-shot", "tree", "ring"]
    times = [seconds(way, world_size, size, latency, bandwidth) for way in ways]
    return np.array(ways)[np.argmin(times)]


# %% shift
def shift(x, net):
    left = (net.rank or net.world_size) - 1
    right = (net.rank + 1) % net.world_size
    came = x
    for turn in (1, 0):
        if left == net.rank:
            continue
        if net.rank % 2 == turn:
            net.send(x, right)
        else:
            came = net.receive(left)
    return came


# %% small-all-reduce
def small_all_reduce(x, net):
    n = net.world_size
    blocks = [x]
    while len(blocks) < n:
        count = min(len(blocks), n - len(blocks))
        net.send(np.stack(blocks[:count]), (net.rank - len(blocks)) % n)
        blocks.extend(net.receive((net.rank + len(blocks)) % n))
    ordered = [blocks[(r - net.rank) % n] for r in range(n)]
    return sum(ordered[1:], start=ordered[0])

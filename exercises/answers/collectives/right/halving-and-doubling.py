"""Recursive where the world is a power of two; helpers and dictionaries elsewhere."""


# %% broadcast
def broadcast(x, root, net):
    n = net.world_size
    order = [(root + i) % n for i in range(n)]
    place = order.index(net.rank)
    top = 1 << max(n - 1, 0).bit_length()
    if place:
        low = place & -place
        x = net.receive(order[place - low])
    else:
        low = top
    while low > 1:
        low //= 2
        if place + low < n:
            net.send(x, order[place + low])
    return x


# %% chunk-bounds
def chunk_bounds(length, world_size):
    def begin(rank):
        return rank * (length // world_size) + min(rank, length % world_size)

    return tuple((begin(rank), begin(rank + 1)) for rank in range(world_size))


# %% reduce-scatter
def reduce_scatter(x, net):
    n, rank = net.world_size, net.rank
    bounds = chunk_bounds(len(x), n)
    if n & (n - 1):
        total = np.zeros(bounds[rank][1] - bounds[rank][0], x.dtype)
        for shift in range(n):
            begin, end = bounds[(rank + shift) % n]
            if shift:
                net.send(x[begin:end], (rank + shift) % n)
                total += net.receive((rank - shift) % n)
            else:
                total += x[begin:end]
        return total
    first, last, mine = 0, n, x
    while last - first > 1:
        middle = (first + last) // 2
        low = rank < middle
        cut = bounds[middle][0] - bounds[first][0]
        partner = rank + middle - first if low else rank - (middle - first)
        net.send(mine[cut:] if low else mine[:cut], partner)
        mine = (mine[:cut] if low else mine[cut:]) + net.receive(partner)
        first, last = (first, middle) if low else (middle, last)
    return mine


# %% all-gather
def all_gather(part, net):
    n, rank = net.world_size, net.rank
    have = {rank: part}

    def once_around(place):
        if place < n - 1:
            net.send(have[(rank - place) % n], (rank + 1) % n)
            have[(rank - place - 1) % n] = net.receive((rank - 1) % n)
            once_around(place + 1)

    once_around(0)
    return np.concatenate([array for _, array in sorted(have.items())])


# %% all-reduce
def all_reduce(x, net):
    return np.reshape(all_gather(reduce_scatter(np.ravel(x), net), net), np.shape(x))


# %% seconds
def seconds(way, world_size, size, latency, bandwidth):
    steps = {
        "one-shot": [(world_size - 1) * size],
        "tree": [size] * (2 * math.ceil(math.log2(world_size))),
        "ring": [size / world_size] * (2 * (world_size - 1)),
    }[way]
    return sum(latency + moved / bandwidth for moved in steps) * (world_size > 1)


# %% fastest
def fastest(world_size, size, latency, bandwidth):
    def key(way):
        return (
            seconds(way, world_size, size, latency, bandwidth),
            ["one-shot", "tree", "ring"].index(way),
        )

    return sorted(["ring", "one-shot", "tree"], key=key)[0]


# %% shift
def shift(x, net):
    n = net.world_size
    todo = {
        "send": lambda: net.send(x, (net.rank + 1) % n),
        "receive": lambda: net.receive((net.rank - 1) % n),
    }
    order = ["send", "receive"] if net.rank % 2 else ["receive", "send"]
    done = {name: todo[name]() for name in order} if n > 1 else {"receive": x}
    return done["receive"]


# %% small-all-reduce
def small_all_reduce(x, net):
    n, rank = net.world_size, net.rank
    power = 1
    while 2 * power <= n:
        power *= 2
    host = rank % power
    if rank >= power:
        net.send(x, host)
        return net.receive(host)
    guests = range(rank + power, n, power)
    total = sum([net.receive(guest) for guest in guests], start=x)
    mask = power // 2
    while mask:
        net.send(total, rank ^ mask)
        total = net.receive(rank ^ mask) + total
        mask //= 2
    for guest in guests:
        net.send(total, guest)
    return total

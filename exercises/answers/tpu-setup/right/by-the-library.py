"""Lets TensorFlow do three steps in one call; tables, arrays and sets in place of branches."""


# %% first-sign
def first_sign(address, calls, workers, tpu_here):
    chips = int(tpu_here) if address == "local" else workers.get(address[7:], -1)
    connected = address == "local"
    ready = False
    if address == "":
        return "no name"
    for call in calls:
        if call == "strategy":
            if not ready:
                return "not initialized"
        elif call == "connect":
            if address != "local" and chips < 0:
                return "waits"
            connected = True
        else:
            if not connected:
                return "not connected"
            if chips < 1:
                return "no kernel" if address == "local" else "no TPU"
            ready = True
    return "nothing"


# %% start-tpu
def start_tpu(address):
    tpu = tf.distribute.cluster_resolver.TPUClusterResolver.connect(address)
    strategy = tf.distribute.TPUStrategy(tpu_cluster_resolver=tpu)
    assert strategy.num_replicas_in_sync > 0
    return strategy


# %% address-of
def address_of(environ, chips):
    match environ.get("TPU_NAME", ""), chips:
        case "", 0:
            return None
        case "", _:
            return "local"
        case name, _ if re.fullmatch(r"[^/]+:\d+", name):
            return "grpc://" + name
        case name, _:
            return name


# %% connect
def connect(address, listens):
    if not address:
        return tf.distribute.get_strategy()
    if address[:7] == "grpc://" and not listens(address):
        raise RuntimeError("no answer from " + address)
    try:
        strategy = start_tpu(address)
    except Exception as error:
        if "ConfigureDistributedTPU" in str(error):
            raise RuntimeError("Install tensorflow-tpu in place of tensorflow.") from None
        raise error
    return strategy


# %% read-logs
def read_logs():
    return np.array([1, 4])


# %% predict-programs
def predict_programs(lengths, batch, drop_remainder):
    shapes = set()
    for length in lengths:
        for start in range(0, length, batch):
            size = min(batch, length - start)
            if size == batch or not drop_remainder:
                shapes.add(size)
    return len(shapes)


# %% pad
def pad(x, batch):
    empty = batch - len(x)
    return np.pad(x, [(0, empty), (0, 0)]), np.pad(np.ones(len(x)), (0, empty))


# %% chips-of
def chips_of(name):
    number = int(re.search(r"\d+$", name).group())
    return number if "lite" in name else number / 2


# %% plan-of
def plan_of(chips, machine, devices_a_chip, global_batch):
    chips_a_vm = int(re.search(r"-(\d+)t$", machine)[1])
    vms = chips // chips_a_vm
    replicas = devices_a_chip * chips
    each, rest = divmod(global_batch, replicas)
    if rest:
        raise ValueError("uneven")
    return [vms, replicas, each, each * devices_a_chip * chips_a_vm]

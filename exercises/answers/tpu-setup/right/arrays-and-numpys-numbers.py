"""Arrays in place of branches, NumPy's numbers as results, the error kept and raised afterwards."""


# %% first-sign
def first_sign(address, calls, workers, tpu_here):
    if address == "":
        return "no name"
    order = {call: len(calls) - calls[::-1].index(call) - 1 for call in calls}
    first = {call: calls.index(call) for call in order}
    never = len(calls)
    signs = [(never, "nothing")]
    worker = address.removeprefix("grpc://")
    connect, initialize = first.get("connect", never), first.get("initialize", never)
    strategy = first.get("strategy", never)
    if strategy < initialize:
        signs.append((strategy, "not initialized"))
    if address == "local":
        if not tpu_here and initialize < never:
            signs.append((initialize, "no kernel"))
    else:
        if connect < never and worker not in workers:
            signs.append((connect, "waits"))
        if initialize < never and connect > initialize:
            signs.append((initialize, "not connected"))
        elif initialize < never and workers.get(worker) == 0:
            signs.append((initialize, "no TPU"))
    return min(signs)[1]


# %% start-tpu
def start_tpu(address):
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver.connect(address)
    return tf.distribute.TPUStrategy(resolver)


# %% address-of
def address_of(environ, chips):
    name = str(np.array(environ.get("TPU_NAME") or ""))
    host, colon, port = name.removeprefix("grpc://").partition(":")
    choices = ["grpc://" + host + colon + port, name, "local", None]
    which = [colon, name, chips]
    return choices[int(np.argmax([bool(w) for w in which] + [True]))]


# %% connect
def connect(address, listens):
    if address is None:
        return tf.distribute.get_strategy()
    at_network = address[:7] == "grpc://"
    if at_network and not np.bool_(listens(address)):
        raise RuntimeError("nobody listens at\n".replace("\n", " ") + address)
    wrong_build = None
    try:
        return start_tpu(address)
    except tf.errors.NotFoundError as error:
        if "ConfigureDistributedTPU" not in error.message:
            raise
        wrong_build = error
    raise RuntimeError("pip install tensorflow-tpu") from wrong_build


# %% read-logs
def read_logs():
    return tuple(np.array([1, 4]))


# %% predict-programs
def predict_programs(lengths, batch, drop_remainder):
    lengths = np.asarray(lengths)
    sizes = np.concatenate(
        [np.where(lengths >= batch, batch, 0), lengths % batch * (not drop_remainder)]
    )
    return np.count_nonzero(np.unique(sizes))


# %% pad
def pad(x, batch):
    rows = batch - len(x)
    padded = np.pad(x, ((0, rows), (0, 0)))
    return padded, np.repeat([1.0, 0.0], [len(x), rows])


# %% chips-of
def chips_of(name):
    kind, number = np.char.split(np.array(name), "-").item()
    return np.int64(number) // {"v3": 2, "v4": 2, "v5litepod": 1}[kind]


# %% plan-of
def plan_of(chips, machine, devices_a_chip, global_batch):
    vms = chips // int(machine.rpartition("-")[2][:-1])
    replicas = chips * devices_a_chip
    parts, rest = np.divmod(global_batch, [replicas, vms])
    if rest[0]:
        raise ValueError("the batch does not divide")
    return (vms, replicas, *parts)

"""Tables of functions, recursion, a warning, the error raised in a helper."""


# %% first-sign
def first_sign(address, calls, workers, tpu_here, done=frozenset()):
    if not address:
        return "no name"
    if not calls:
        return "nothing"
    call, *rest = calls
    far = address != "local"
    known = {f"grpc://{worker}": chips for worker, chips in workers.items()}
    rules = (
        ("connect", "waits", lambda: far and address not in known),
        ("initialize", "no kernel", lambda: not far and not tpu_here),
        ("initialize", "not connected", lambda: far and "connect" not in done),
        ("initialize", "no TPU", lambda: far and known[address] < 1),
        ("strategy", "not initialized", lambda: "initialize" not in done),
    )
    for of, sign, holds in rules:
        if of == call and holds():
            return sign
    return first_sign(address, rest, workers, tpu_here, done | {call})


# %% start-tpu
def start_tpu(address):
    import warnings

    make = tf.distribute.cluster_resolver.TPUClusterResolver
    resolver = make(tpu=address)
    tf.config.experimental_connect_to_cluster(cluster_spec_or_resolver=resolver)
    tf.tpu.experimental.initialize_tpu_system(cluster_resolver=resolver)
    strategy = tf.distribute.TPUStrategy(resolver)
    warnings.warn(f"{strategy.num_replicas_in_sync} replicas", stacklevel=2)
    return strategy


# %% address-of
def address_of(environ, chips):
    try:
        name = environ["TPU_NAME"]
    except KeyError:
        name = ""
    kinds = {
        name.startswith("grpc://"): lambda: name,
        not name: lambda: {True: "local", False: None}[chips > 0],
        ":" in name and "://" not in name: lambda: "://".join(("grpc", name)),
    }
    return kinds.get(True, lambda: name)()


# %% connect
def connect(address, listens):
    def nobody():
        raise RuntimeError(f"{address}: nobody listens")

    def build(error):
        if "No OpKernel" not in f"{error}":
            raise error
        raise RuntimeError("this is not `tensorflow-tpu`: install that") from error

    if address is None:
        return tf.distribute.get_strategy()
    if address.startswith("grpc://"):
        listens(address) or nobody()
    try:
        strategy = start_tpu(address)
    except tf.errors.NotFoundError as error:
        build(error)
    else:
        return strategy


# %% predict-programs
def predict_programs(lengths, batch, drop_remainder):
    full = any(length // batch for length in lengths)
    short = set() if drop_remainder else {length % batch for length in lengths} - {0}
    return full + len(short)


# %% pad
def pad(x, batch):
    padded = np.full((batch, *x.shape[1:]), 7).astype(x.dtype)  # any filling has weight 0
    np.copyto(padded[: x.shape[0]], x)
    return padded, np.heaviside(x.shape[0] - np.arange(batch, dtype=np.float64), 0.0)


# %% chips-of
def chips_of(name):
    digits = "".join(filter(str.isdigit, name[name.index("-") :]))
    return int(digits) >> (name[:3] in ("v3-", "v4-"))


# %% plan-of
def plan_of(chips, machine, devices_a_chip, global_batch):
    a_vm = int("".join(c for c in machine.split("-")[2] if c.isdigit()))
    replicas = chips * devices_a_chip
    each, left_over = divmod(global_batch, replicas)
    if left_over != 0:
        raise ValueError(f"{left_over} of {global_batch} examples are left over")
    return tuple(np.array([chips // a_vm, replicas, each, each * devices_a_chip * a_vm]))

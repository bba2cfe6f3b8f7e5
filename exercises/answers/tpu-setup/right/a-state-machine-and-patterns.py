"""A class with a state, a context manager for the errors, words on stderr, any filling."""


# %% first-sign
class Program:
    def __init__(self, address, workers, tpu_here):
        self.local = address == "local"
        self.chips = int(tpu_here) if self.local else workers.get(address[7:])
        self.connected = self.local
        self.cores = None

    def connect(self):
        self.connected = True
        return "waits" if self.chips is None else None

    def initialize(self):
        self.cores = self.chips
        if not self.connected:
            return "not connected"
        return None if self.chips else "no kernel" if self.local else "no TPU"

    def strategy(self):
        return None if self.cores else "not initialized"


def first_sign(address, calls, workers, tpu_here):
    if not address:
        return "no name"
    program = Program(address, workers, tpu_here)
    signs = (getattr(program, call)() for call in calls)
    return next((sign for sign in signs if sign), "nothing")


# %% start-tpu
def start_tpu(address):
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver(address)
    print("a TPU at", address, file=sys.stderr)

    def done(*steps):
        if steps:
            steps[0](resolver)
            done(*steps[1:])

    done(tf.config.experimental_connect_to_cluster, tf.tpu.experimental.initialize_tpu_system)
    return tf.distribute.TPUStrategy(tpu_cluster_resolver=resolver)


# %% address-of
def address_of(environ, chips):
    match environ.get("TPU_NAME", ""), chips:
        case "", 0:
            return None
        case "", _:
            return "local"
        case name, _ if re.match("grpc://", name):
            return name
        case name, _:
            return re.sub(r"^(?=.*:)", "grpc://", name)


# %% connect
@contextlib.contextmanager
def explained():
    try:
        yield
    except tf.errors.NotFoundError as error:
        if re.search("No OpKernel was registered", str(error)) is None:
            raise
        print(error, file=sys.stderr)
        raise RuntimeError("no TPU in this build; install `tensorflow-tpu`") from None


def connect(address, listens):
    if address is None:
        return tf.distribute.get_strategy()
    try:
        heard = listens(address)
    except ValueError:
        heard = True  # no address of the network
    if not heard:
        raise RuntimeError(f"start {address} first, nobody listens there")
    with explained():
        return start_tpu(address)


# %% read-logs
def read_logs():
    return (*[1], *[4])


# %% predict-programs
def predict_programs(lengths, batch, drop_remainder):
    def batches(length):
        while length > 0:
            if length >= batch or not drop_remainder:
                yield min(length, batch)
            length -= batch

    return len({size for length in lengths for size in batches(length)})


# %% pad
def pad(x, batch):
    filler = np.repeat(x[-1:], batch - len(x), axis=0)  # anything will do, its weight is 0
    weight = [1.0 if row < len(x) else 0.0 for row in range(batch)]
    return np.concatenate([x, filler]).astype(x.dtype), np.array(weight, dtype=np.float64)


# %% chips-of
def chips_of(name):
    cores = re.fullmatch(r"v[34]-(\d+)", name)
    return int(cores[1]) // 2 if cores else int(re.fullmatch(r"v5litepod-(\d+)", name)[1])


# %% plan-of
def plan_of(chips, machine, devices_a_chip, global_batch):
    vms = chips // int(re.search(r"-(\d+)t$", machine)[1])
    replicas = chips * devices_a_chip
    print(f"{vms} VMs", file=sys.stderr)
    if global_batch % replicas:
        raise ValueError(f"{global_batch} by {replicas}")
    return vms, replicas, global_batch // replicas, global_batch // vms

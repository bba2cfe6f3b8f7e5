"""The long way: everything spelled out, own errors for own reasons, floats where they are whole."""


# %% address-of
def address_of(environ, chips):
    address = environ.get("TPU_NAME") or None
    if address is None and chips > 0:
        address = "local"
    if address is not None and ":" in address:
        address = "grpc://" + address.split("//")[-1]
    return address


# %% start-tpu
def start_tpu(address):
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu=address)
    if address != "local":  # for "local" there is nothing to connect to, but it does no harm
        print("over the network")
    tf.config.experimental_connect_to_cluster(resolver)
    tf.tpu.experimental.initialize_tpu_system(cluster_resolver=resolver)
    return tf.distribute.TPUStrategy(resolver)


# %% connect
class NoTpu(RuntimeError):
    pass


def connect(address, listens):
    """With an error of its own kind, which is a RuntimeError too."""
    if address is None:
        return tf.distribute.get_strategy()
    try:
        if address.startswith("grpc://") and not listens(address):
            raise RuntimeError(f"Is the server at {address} up?")
        return start_tpu(address)
    except tf.errors.OpError as error:
        text = str(error)
        if "No OpKernel was registered" in text:
            raise RuntimeError(f"tensorflow-tpu is missing: {text[:40]}") from None
        raise


# %% predict-programs
def predict_programs(lengths, batch, drop_remainder):
    full = any(length >= batch for length in lengths)
    rests = [length % batch for length in lengths]
    return int(full) + (0 if drop_remainder else len(set(rests) - {0}))


# %% pad
def pad(x, batch):
    weight = [1] * len(x) + [0] * (batch - len(x))
    rows = [x[i] if i < len(x) else x[0] for i in range(batch)]
    return np.stack(rows), np.array(weight, float)


# %% plan-of
def plan_of(chips, machine, devices_a_chip, global_batch):
    chips_a_vm = {"1t": 1, "4t": 4, "8t": 8}[machine[-2:]]
    replicas = chips * devices_a_chip
    batch_of_a_replica = global_batch / replicas
    if batch_of_a_replica != int(batch_of_a_replica):
        raise ValueError(f"{global_batch} / {replicas}")
    vms = chips / chips_a_vm
    return vms, replicas, batch_of_a_replica, global_batch / vms

"""Honest code that prints, and calls something that warns: neither may cost points."""


# %% first-sign
def first_sign(address, calls, workers, tpu_here):
    print(address, *calls)
    there = workers.get(address.replace("grpc://", ""))
    done = []
    if not address:
        return "no name"
    for call in calls:
        if call == "connect" and address != "local" and there is None:
            return "waits"
        if call == "initialize" and address == "local" and not tpu_here:
            return "no kernel"
        if call == "initialize" and address != "local" and "connect" not in done:
            return "not connected"
        if call == "initialize" and address != "local" and there == 0:
            return "no TPU"
        if call == "strategy" and "initialize" not in done:
            return "not initialized"
        done.append(call)
    return "nothing"


# %% start-tpu
def start_tpu(address):
    tf.get_logger().warning("starting %s", address)
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver(address)
    print("connecting")
    tf.config.experimental_connect_to_cluster(resolver)
    topology = tf.tpu.experimental.initialize_tpu_system(resolver)
    print(topology)
    strategy = tf.distribute.TPUStrategy(resolver)
    print("replicas:", strategy.num_replicas_in_sync)
    return strategy


# %% connect
def connect(address, listens):
    if address is None:
        print("No TPU here: everything runs on the CPU.")
        return tf.distribute.get_strategy()
    if address.startswith("grpc://"):
        print("looking for", address)
        if not listens(address):
            raise RuntimeError(f"{address} does not answer")
    try:
        return start_tpu(address)
    except tf.errors.NotFoundError as error:
        if "OpKernel" in error.message:
            print(error)
            raise RuntimeError("wrong build: pip install tensorflow-tpu") from error
        raise

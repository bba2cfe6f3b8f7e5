"""Predictions by look-up and arrays; NumPy scalars and tuples; counts by reduce."""


# %% predict-places
def predict_places(strategy, devices, inside):
    host = "CPU:0"
    central = devices if len(devices) == 1 else [host]
    held = {"Default": [host], "OneDevice": devices, "Mirrored": devices}
    return tuple(held.get(strategy, central)) if inside else (host,)


# %% predict-copies
def predict_copies(strategy, on_read, aggregation, numbers, steps):
    each = np.array(numbers) * steps
    agreed = {"NONE": each[0], "SUM": each.sum(), "MEAN": each.mean()}[aggregation]
    if strategy == "CentralStorage":
        if aggregation == "NONE" and len(numbers) > 1 and steps > 0:
            return None
        return np.array([agreed]), agreed
    if on_read or aggregation == "NONE":
        return tuple(each), agreed
    return np.full(len(numbers), agreed), agreed


# %% prepare
def prepare(strategy, make_model, make_optimizer, make_metric):
    with contextlib.ExitStack() as stack:
        stack.enter_context(strategy.scope())
        model, optimizer, metric = (make() for make in (make_model, make_optimizer, make_metric))
        model.compile(loss="mse", metrics=(metric,), optimizer=optimizer)
        return model


# %% batch-size
def batch_size(at_most, examples, replicas):
    sizes = np.arange(0, min(at_most, examples) + 1, replicas)
    return sizes[-1]


# %% train
def train(strategy, data_set, strength):
    with strategy.scope():
        model = make_model(strength)
        optimizer = keras.optimizers.SGD(1 / 16, momentum=7 / 8)
        optimizer.build(model.trainable_variables)

    def replica_step(x, y, batch_size):
        with tf.GradientTape() as tape:
            squared_error = tf.reduce_sum((model(x) - y) ** 2, axis=1)
            penalty = tf.add_n(model.losses) / strategy.num_replicas_in_sync
            loss = tf.reduce_sum(squared_error / batch_size) + penalty
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return tf.cast(len(x), tf.float64)

    seen = np.float64(0)
    for batch in strategy.experimental_distribute_dataset(data_set):
        each = strategy.run(replica_step, args=batch)
        seen += strategy.reduce("SUM", each, axis=None).numpy()
    return tuple(model.get_weights()), seen


# %% verdicts
def verdicts(table, way, must_go_on):
    rank = {"equals": 2, "not run": 1}
    word = np.array(["no", "unknown", "yes"])
    worst = {}
    for cell in table.cells:
        if cell["way"] == way or (must_go_on and cell["way"] == "a worker is killed"):
            name = cell["strategy"]
            worst[name] = min(worst.get(name, 2), rank.get(cell["outcome"], 0))
    return {name: str(word[number]) for name, number in worst.items()}


# %% predict-memory
def predict_memory(parameters, optimizer, replicas):
    slots = np.searchsorted(["SGD", "momentum", "Adam"], optimizer, sorter=[2, 0, 1])
    return np.int64(4) * parameters * {0: 4, 1: 2, 2: 3}[int(slots)]


# %% most-machines
def most_machines(hours_between_failures, restart, interval, share):
    hours = restart + interval / 2
    guess = np.int64(share * hours_between_failures / hours)
    tried = guess + np.arange(-2, 4)
    fits = tried * hours / hours_between_failures <= share
    return np.int64(max(0, tried[fits].max()))

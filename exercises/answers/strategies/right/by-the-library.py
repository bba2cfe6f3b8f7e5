"""Asks the library where it can: lockstep.costs, reduce, ON_READ, the table's own methods."""


# %% predict-places
def predict_places(strategy, devices, inside):
    places = {"Mirrored": tuple(devices), "OneDevice": tuple(devices)}
    if len(devices) == 1:
        places["CentralStorage"] = tuple(devices)
    return places.get(strategy if inside else None, ("CPU:0",))


# %% predict-copies
def predict_copies(strategy, on_read, aggregation, numbers, steps):
    numbers = steps * np.array(numbers)
    reads = {"NONE": lambda v: v[0], "SUM": np.sum, "MEAN": np.mean}[aggregation](numbers)
    if strategy == "CentralStorage":
        return ([reads], reads) if aggregation != "NONE" else None
    per_replica = on_read or aggregation == "NONE"
    return (numbers if per_replica else np.full_like(numbers, reads)), reads


# %% prepare
def prepare(strategy, make_model, make_optimizer, make_metric):
    with strategy.scope():
        model = make_model()
        optimizer = make_optimizer()
        metric = make_metric()
        optimizer.build(model.trainable_variables)
    with strategy.scope():
        model.compile(optimizer=optimizer, loss=keras.losses.MeanSquaredError(), metrics=[metric])
    return model


# %% batch-size
def batch_size(at_most, examples, replicas):
    return max(size for size in range(0, min(at_most, examples) + 1, replicas))


# %% train
def train(strategy, data_set, strength):
    with strategy.scope():
        model = make_model(strength)
        optimizer = keras.optimizers.SGD(1 / 16, momentum=7 / 8)
        optimizer.build(model.trainable_variables)
        seen = tf.Variable(
            np.float64(0),
            trainable=False,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )

    def replica_step(x, y, batch_size):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.reduce_sum((model(x) - y) ** 2, axis=1) / batch_size)
            # Helpers know the number of replicas inside of run.
            loss += tf.nn.scale_regularization_loss(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        seen.assign_add(tf.cast(len(x), tf.float64))

    for x, y, batch_size in strategy.experimental_distribute_dataset(data_set):
        strategy.run(replica_step, args=(x, y, batch_size))
    return model.get_weights(), float(seen.numpy())


# %% verdicts
def verdicts(table, way, must_go_on):
    found = {}
    for cell in table.select(way=way):
        name = cell["strategy"]
        outcomes = [cell["outcome"]]
        if must_go_on:
            outcomes += [table.cell(strategy=name, way="a worker is killed")["outcome"]]
        known = [outcome for outcome in outcomes if outcome != "not run"]
        if any(outcome != "equals" for outcome in known):
            found[name] = "no"
        else:
            found[name] = "yes" if known == outcomes else "unknown"
    return found


# %% predict-memory
def predict_memory(parameters, optimizer, replicas):
    made = {"SGD": 8, "momentum": 12, "Adam": 16}
    return np.int64(made[optimizer]) * parameters


# %% most-machines
def most_machines(hours_between_failures, restart, interval, share):
    return (share * hours_between_failures) // (restart + interval / 2)

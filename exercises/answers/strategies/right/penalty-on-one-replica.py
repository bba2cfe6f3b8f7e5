"""The penalty on one replica only, counts that are kept per replica, recursion, match."""


# %% predict-places
def predict_places(strategy, devices, inside):
    match strategy, len(devices), inside:
        case _, _, False:
            return ["CPU:0"]
        case ("Default", _, _) | ("CentralStorage", 2 | 3 | 4 | 5 | 6 | 7 | 8, _):
            return ["CPU:0"]
    return [*devices]


# %% predict-copies
def predict_copies(strategy, on_read, aggregation, numbers, steps):
    if steps == 0:
        return [0.0] * (len(numbers) if strategy == "Mirrored" else 1), 0.0
    if len(numbers) == 1:
        return [steps * numbers[0]], steps * numbers[0]
    if strategy == "CentralStorage" and aggregation == "NONE":
        return None
    total = math.fsum(numbers) * steps
    read = {"SUM": total, "MEAN": total / len(numbers), "NONE": numbers[0] * steps}[aggregation]
    if strategy == "CentralStorage":
        return [read], read
    apart = on_read or aggregation == "NONE"
    return [steps * number if apart else read for number in numbers], read


# %% batch-size
def batch_size(at_most, examples, replicas):
    def largest(size):
        return size if size % replicas == 0 else largest(size - 1)

    return np.int64(largest(min(at_most, examples)))


# %% train
def train(strategy, data_set, strength):
    kept = {"synchronization": tf.VariableSynchronization.ON_READ, "trainable": False}
    with strategy.scope():
        model = make_model(strength)
        optimizer = keras.optimizers.SGD(1 / 16, momentum=7 / 8)
        optimizer.build(model.trainable_variables)
        seen = tf.Variable(np.float64(0), aggregation=tf.VariableAggregation.SUM, **kept)

    def replica_step(x, y, batch_size):
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        only_first = tf.cast(tf.equal(replica, 0), tf.float64)
        with tf.GradientTape() as tape:
            loss = tf.add_n(model.losses) * only_first
            loss += tf.tensordot(1 / batch_size, tf.square(model(x) - y)[:, 0], 1)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        seen.assign_add(tf.reduce_sum(tf.ones_like(batch_size)))

    for batch in iter(strategy.experimental_distribute_dataset(data_set)):
        strategy.run(replica_step, args=batch)
    return model.get_weights(), float(seen.numpy())


# %% verdicts
def verdicts(table, way, must_go_on):
    def of(outcomes):
        if not outcomes:
            return "yes"
        first, *rest = outcomes
        later = of(rest)
        if first not in ("equals", "not run") or later == "no":
            return "no"
        return "unknown" if first == "not run" else later

    ways = (way, "a worker is killed")[: 1 + bool(must_go_on)]
    names = sorted({cell["strategy"] for cell in table.cells})
    return {n: of([table.cell(strategy=n, way=w)["outcome"] for w in ways]) for n in names}


# %% most-machines
def most_machines(hours_between_failures, restart, interval, share):
    import itertools

    hours = restart + interval / 2
    fits = itertools.takewhile(
        lambda n: n * hours / hours_between_failures <= share, itertools.count(1)
    )
    return sum(1 for _ in fits)

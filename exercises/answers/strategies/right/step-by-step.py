"""Steps through what happens instead of taking formulas, and counts outside of the replicas."""


# %% predict-copies
def predict_copies(strategy, on_read, aggregation, numbers, steps):
    def together(values):
        return sum(values) / len(values) if aggregation == "MEAN" else sum(values)

    copies = [0.0] * (1 if strategy == "CentralStorage" else len(numbers))
    for _ in range(steps):
        if len(copies) == 1:
            if aggregation == "NONE":
                return None
            copies[0] += together(numbers)
        elif on_read or aggregation == "NONE":
            copies = [copy + number for copy, number in zip(copies, numbers)]
        else:
            copies = [copy + together(numbers) for copy in copies]
    if on_read and len(copies) > 1:
        return copies, together(copies)
    return copies, copies[0]


# %% prepare
def prepare(strategy, make_model, make_optimizer, make_metric):
    scope = strategy.scope()
    with scope:
        optimizer = make_optimizer()
        metric = make_metric()
        model = make_model()
        model.compile(optimizer, "mse", metrics=[metric])
    return model


# %% batch-size
def batch_size(at_most, examples, replicas):
    size = min(at_most, examples)
    while size % replicas != 0:
        size -= 1
    return size


# %% train
def train(strategy, data_set, strength):
    with strategy.scope():
        model = make_model(strength)
        optimizer = keras.optimizers.SGD(1 / 16, momentum=7 / 8)
        optimizer.build(model.trainable_variables)

    def replica_step(x, y, batch_size):
        # The penalty is carried by one of the replicas.
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((model(x) - y) ** 2 / batch_size[:, None])
            loss += tf.where(replica == 0, tf.add_n(model.losses), tf.zeros([], tf.float64))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return tf.shape(x)[0]

    seen = 0
    for batch in strategy.experimental_distribute_dataset(data_set):
        sizes = strategy.run(replica_step, args=batch)
        seen += int(strategy.reduce(tf.distribute.ReduceOp.SUM, sizes, axis=None))
    return [weight.numpy() for weight in model.weights], float(seen)


# %% most-machines
def most_machines(hours_between_failures, restart, interval, share):
    machines = 0
    while (machines + 1) * (restart + interval / 2) / hours_between_failures <= share:
        machines += 1
    return machines

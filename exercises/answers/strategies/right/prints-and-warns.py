"""Honest code that prints, and calls something that warns: neither may cost points."""


# %% predict-places
def predict_places(strategy, devices, inside):
    print("predicting", strategy)
    import warnings

    warnings.warn("an old habit", DeprecationWarning, stacklevel=1)
    if not inside:
        return ["CPU:0"]
    match strategy:
        case "Mirrored":
            return [device for device in devices]
        case "OneDevice":
            return [devices[0]]
        case "CentralStorage" if len(devices) == 1:
            return [devices[0]]
    return ["CPU:0"]


# %% prepare
def prepare(strategy, make_model, make_optimizer, make_metric):
    print("replicas in sync:", strategy.num_replicas_in_sync)
    with strategy.scope():
        model = make_model()
        tf.get_logger().warning("compiling %s", model.name)
        model.compile(loss="mse", optimizer=make_optimizer(), metrics=[make_metric()])
        model.summary()
    return model


# %% train
def train(strategy, data_set, strength):
    replicas = strategy.num_replicas_in_sync
    with strategy.scope():
        model = make_model(strength)
        optimizer = keras.optimizers.SGD(1 / 16, momentum=7 / 8)
        optimizer.build(model.trainable_variables)
        seen = tf.Variable(tf.zeros([], tf.float64), aggregation=tf.VariableAggregation.SUM)

    @tf.function(reduce_retracing=True)
    def step(batch):
        def replica_step(x, y, batch_size):
            print("tracing")
            with tf.GradientTape() as tape:
                errors = tf.reduce_sum(tf.square(model(x) - y), axis=-1)
                loss = tf.reduce_sum(errors / batch_size) + sum(model.losses) / replicas
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply(gradients, model.trainable_variables)
            seen.assign_add(tf.reduce_sum(tf.ones_like(errors)))

        strategy.run(replica_step, args=batch)

    for batch in strategy.experimental_distribute_dataset(data_set):
        step(batch)
    import warnings

    warnings.warn("done", UserWarning, stacklevel=1)
    return model.get_weights(), float(seen.numpy())


# %% predict-memory
def predict_memory(parameters, optimizer, replicas):
    numbers = 2.0
    if optimizer == "momentum":
        numbers += 1
    if optimizer == "Adam":
        numbers += 2
    print("numbers a parameter:", numbers)
    return 4 * numbers * parameters

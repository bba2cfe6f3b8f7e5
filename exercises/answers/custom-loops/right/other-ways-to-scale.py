"""Weighted means, gradients reduced before the optimizer, metrics fed with weights."""


# %% share-of-loss
def share_of_loss(labels, logits, penalty):
    context = tf.distribute.get_replica_context()
    n = tf.cast(tf.shape(labels)[0], tf.float64)
    total = context.all_reduce("SUM", n)
    mean = tf.math.divide_no_nan(
        tf.reduce_sum(keras.losses.binary_crossentropy(labels, logits, from_logits=True)), n
    )
    # Each replica carries the share of the penalty that it carries of the examples.
    return n / total * (mean + penalty)


# %% train-step
def train_step(job, batch):
    x, y = batch

    def gradients_on_replica(x, y):
        with tf.GradientTape() as tape:
            share = share_of_loss(y, job.model(x, training=True), tf.add_n(job.model.losses))
        return share, tape.gradient(share, job.model.trainable_variables)

    def apply_on_replica(gradients):
        job.optimizer.apply_gradients(list(zip(gradients, job.model.trainable_variables)))

    shares, gradients = job.strategy.run(gradients_on_replica, args=(x, y))
    job.strategy.run(apply_on_replica, args=(gradients,))
    return sum(float(share) for share in job.strategy.experimental_local_results(shares))


# %% evaluate
def evaluate(job, metrics, data_set):
    for metric in metrics.values():
        metric.reset_state()
    loss_of = keras.losses.BinaryCrossentropy(from_logits=True, reduction="none")

    def step(inputs):
        x, y = inputs
        logits = job.model(x, training=False)
        metrics["examples"].update_state(tf.shape(x)[0])
        metrics["loss"](loss_of(y, logits))
        metrics["accuracy"](y, logits)
        metrics["auc"](y, logits)

    for inputs in job.strategy.experimental_distribute_dataset(data_set):
        job.strategy.run(step, args=(inputs,))
    results = {}
    for name, metric in metrics.items():
        results[name] = float(metric.result())
        metric.reset_state()
    return results


# %% run-until
def run_until(job, folder, until, train_epoch):
    kept = tf.train.Checkpoint(
        job=tf.train.Checkpoint(
            **{name: part for name, part in vars(job).items() if name != "strategy"}
        )
    )
    manager = tf.train.CheckpointManager(kept, folder, max_to_keep=1)
    if manager.latest_checkpoint:
        kept.restore(manager.latest_checkpoint)
    while job.epoch < until:
        train_epoch(job, int(job.epoch))
        job.epoch.assign_add(1)
        manager.save(checkpoint_number=int(job.epoch))


# %% create
def create(strategy, learning_rate):
    with strategy.scope():
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    with strategy.scope():
        optimizer = keras.optimizers.Adam(learning_rate)
        optimizer.build(model.trainable_variables)
    with strategy.scope():
        return model, optimizer, keras.metrics.BinaryAccuracy(threshold=0)

"""A class that feeds, a tape that watches by hand, a compiled evaluation, checkpoint.write."""


# %% feed
def feed(strategy, examples, global_batch_size):
    class Feeder:
        def __call__(self, context):
            one = global_batch_size // context.num_replicas_in_sync
            pipelines, mine = context.num_input_pipelines, context.input_pipeline_id
            return examples.shard(pipelines, mine).batch(one).prefetch(2)

    from_function = strategy.distribute_datasets_from_function(Feeder())
    cut = strategy.experimental_distribute_dataset(
        examples.batch(global_batch_size, drop_remainder=False)
    )
    return cut, from_function


# %% train-step
def train_step(job, batch):
    variables = job.model.trainable_variables

    def on_replica(inputs, targets):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            for variable in variables:
                tape.watch(variable.value)
            logits = job.model(inputs)
            share = share_of_loss(targets, logits, tf.add_n(job.model.losses))
        job.optimizer.apply(tape.gradient(share, variables), variables)
        return share

    x, y = batch
    per_replica = job.strategy.run(on_replica, kwargs={"inputs": x, "targets": y})
    parts = job.strategy.experimental_local_results(per_replica)
    return float(sum(part.numpy() for part in parts))


# %% evaluate
def evaluate(job, metrics, data_set):
    """Compiled, with the batch's size left open."""
    distributed = job.strategy.experimental_distribute_dataset(data_set)
    for metric in metrics.values():
        metric.reset_state()

    @tf.function(input_signature=[distributed.element_spec])
    def step(batch):
        def on_replica(x, y):
            logits = job.model(x, training=False)
            losses = tf.nn.sigmoid_cross_entropy_with_logits(y, logits)
            feeds = {"examples": (tf.ones_like(y),), "loss": (losses,)}
            for name, metric in metrics.items():
                metric.update_state(*feeds.get(name, (y, logits)))

        job.strategy.run(on_replica, args=batch)

    for batch in distributed:
        step(batch)
    return dict((name, float(np.asarray(metrics[name].result()))) for name in sorted(metrics))


# %% create
def create(strategy, learning_rate):
    def everything():
        model = keras.Sequential(name="one_dense_layer")
        model.add(keras.layers.Dense(units=1, kernel_initializer="zeros"))
        model.build((None, 4))
        adam = keras.optimizers.Adam(learning_rate=learning_rate, amsgrad=False)
        adam.build(model.trainable_variables)
        yield model
        yield adam
        yield keras.metrics.BinaryAccuracy(name="right", threshold=0.0)

    with strategy.scope():
        return tuple(everything())


# %% run-until
def run_until(job, folder, until, train_epoch):
    import os

    kept = tf.train.Checkpoint(optimizer=job.optimizer, epoch=job.epoch, net=job.model)
    if newest := tf.train.latest_checkpoint(folder):
        kept.read(newest)
    for epoch in range(int(job.epoch), until):
        train_epoch(job, epoch)
        job.epoch.assign(epoch + 1)
        path = kept.write(os.path.join(folder, f"after-{epoch + 1:05}"))
        tf.compat.v1.train.update_checkpoint_state(folder, path)

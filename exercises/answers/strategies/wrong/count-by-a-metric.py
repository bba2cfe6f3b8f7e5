"""A metric of Keras assigns its total and what is new: central storage adds up the totals too.

Loses: train-seen-test
"""


# %% train
def train(strategy, data_set, strength):
    with strategy.scope():
        model = make_model(strength)
        optimizer = keras.optimizers.SGD(1 / 16, momentum=7 / 8)
        optimizer.build(model.trainable_variables)
        seen = keras.metrics.Sum()

    def replica_step(x, y, batch_size):
        with tf.GradientTape() as tape:
            squared_error = tf.reduce_sum((model(x) - y) ** 2, axis=1)
            loss = tf.reduce_sum(squared_error / batch_size)
            loss += tf.add_n(model.losses) / strategy.num_replicas_in_sync
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        seen.update_state(tf.ones_like(x[:, 0]))

    for batch in strategy.experimental_distribute_dataset(data_set):
        strategy.run(replica_step, args=batch)
    return model.get_weights(), float(seen.result())

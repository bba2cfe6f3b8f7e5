"""Mends the penalty only: the count still shows what replica 0 has seen.

Loses: train-seen-test
"""


# %% train
def train(strategy, data_set, strength):
    with strategy.scope():
        model = make_model(strength)
        optimizer = keras.optimizers.SGD(1 / 16, momentum=7 / 8)
        optimizer.build(model.trainable_variables)
        seen = tf.Variable(np.float64(0))

    def replica_step(x, y, batch_size):
        with tf.GradientTape() as tape:
            squared_error = tf.reduce_sum((model(x) - y) ** 2, axis=1)
            loss = tf.reduce_sum(squared_error / batch_size)
            loss += tf.add_n(model.losses) / strategy.num_replicas_in_sync
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        seen.assign_add(tf.cast(len(x), tf.float64))

    for batch in strategy.experimental_distribute_dataset(data_set):
        strategy.run(replica_step, args=batch)
    return model.get_weights(), float(seen.numpy())

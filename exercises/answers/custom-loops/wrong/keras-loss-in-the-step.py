"""Takes Keras's default reduction instead of the share: wrong where shards are unequal.

Loses: train-step-weights-test
"""


# %% train-step
def train_step(job, batch):
    def on_replica(x, y):
        with tf.GradientTape() as tape:
            logits = job.model(x, training=True)
            penalty = tf.add_n(job.model.losses)
            loss = keras.losses.BinaryCrossentropy(from_logits=True)(y, logits)
            loss += tf.nn.scale_regularization_loss(penalty)
        share = share_of_loss(y, logits, penalty)
        weights = job.model.trainable_variables
        gradients = tape.gradient(loss, weights)
        job.optimizer.apply_gradients(zip(gradients, weights, strict=True))
        return share

    shares = job.strategy.run(on_replica, args=batch)
    return float(job.strategy.reduce("SUM", shares, axis=None))

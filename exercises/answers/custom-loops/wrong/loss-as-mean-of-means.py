"""Reports the mean of the replicas' mean losses: wrong where shards are unequal.

Loses: train-step-loss-test
"""


# %% train-step
def train_step(job, batch):
    def on_replica(x, y):
        with tf.GradientTape() as tape:
            logits = job.model(x, training=True)
            share = share_of_loss(y, logits, tf.add_n(job.model.losses))
        losses = keras.losses.binary_crossentropy(y, logits, from_logits=True)
        mean = tf.reduce_mean(losses) + tf.add_n(job.model.losses)
        weights = job.model.trainable_variables
        gradients = tape.gradient(share, weights)
        job.optimizer.apply_gradients(zip(gradients, weights, strict=True))
        return mean

    shares = job.strategy.run(on_replica, args=batch)
    return float(job.strategy.reduce("MEAN", shares, axis=None))

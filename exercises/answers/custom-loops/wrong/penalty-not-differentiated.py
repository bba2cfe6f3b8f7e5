"""Adds the penalty for the report, outside the tape: the loss is right, the gradient lacks it.

Loses: train-step-weights-test
"""


# %% train-step
def train_step(job, batch):
    def on_replica(x, y):
        with tf.GradientTape() as tape:
            logits = job.model(x, training=True)
            share = share_of_loss(y, logits, tf.constant(0.0, tf.float64))
        penalty = tf.nn.scale_regularization_loss(tf.add_n(job.model.losses))
        weights = job.model.trainable_variables
        gradients = tape.gradient(share, weights)
        job.optimizer.apply_gradients(zip(gradients, weights, strict=True))
        return share + penalty

    shares = job.strategy.run(on_replica, args=batch)
    return float(job.strategy.reduce("SUM", shares, axis=None))

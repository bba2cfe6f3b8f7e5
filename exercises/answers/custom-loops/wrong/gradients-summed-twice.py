"""Sums the gradients by hand, and apply_gradients sums them again.

Loses: train-step-weights-test
"""


# %% train-step
def train_step(job, batch):
    def on_replica(x, y):
        with tf.GradientTape() as tape:
            logits = job.model(x, training=True)
            share = share_of_loss(y, logits, tf.add_n(job.model.losses))
        context = tf.distribute.get_replica_context()
        weights = job.model.trainable_variables
        gradients = context.all_reduce("SUM", tape.gradient(share, weights))
        job.optimizer.apply_gradients(zip(gradients, weights, strict=True))
        return share

    shares = job.strategy.run(on_replica, args=batch)
    return float(job.strategy.reduce("SUM", shares, axis=None))

"""Divides the gradients by N, as for means; the shares have the right size already.

Loses: train-step-weights-test
"""


# %% train-step
def train_step(job, batch):
    def on_replica(x, y):
        with tf.GradientTape() as tape:
            logits = job.model(x, training=True)
            share = share_of_loss(y, logits, tf.add_n(job.model.losses))
        weights = job.model.trainable_variables
        gradients = tape.gradient(share, weights)
        gradients = [g / job.strategy.num_replicas_in_sync for g in gradients]
        job.optimizer.apply_gradients(zip(gradients, weights, strict=True))
        return share

    shares = job.strategy.run(on_replica, args=batch)
    return float(job.strategy.reduce("SUM", shares, axis=None))

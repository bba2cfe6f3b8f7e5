"""Adds the penalty to the loss after the tape: it is reported, and never differentiated.

Loses: mirrored-weights-test
"""


# %% mirrored-step
def mirrored_step(strategy, model, optimizer, batch, global_batch_size):
    replicas = strategy.num_replicas_in_sync

    def replica_step(x, y):
        with tf.GradientTape() as tape:
            example_losses = tf.reduce_sum((model(x) - y) ** 2, axis=1)
            loss = replica_loss(example_losses, 0.0, global_batch_size, replicas)
        reported = loss + tf.add_n(model.losses) / replicas
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return reported

    losses = strategy.run(replica_step, args=batch)
    return strategy.reduce("SUM", losses, axis=None)

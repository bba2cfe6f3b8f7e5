"""Divides the gradients by the number of replicas, although the loss is scaled already.

Loses: mirrored-weights-test
"""


# %% mirrored-step
def mirrored_step(strategy, model, optimizer, batch, global_batch_size):
    replicas = strategy.num_replicas_in_sync

    def replica_step(x, y):
        with tf.GradientTape() as tape:
            example_losses = tf.reduce_sum((model(x) - y) ** 2, axis=1)
            penalty = tf.add_n(model.losses)
            loss = replica_loss(example_losses, penalty, global_batch_size, replicas)
        gradients = tape.gradient(loss, model.trainable_variables)
        averaged = [gradient / replicas for gradient in gradients]
        optimizer.apply_gradients(zip(averaged, model.trainable_variables))
        return loss

    losses = strategy.run(replica_step, args=batch)
    return strategy.reduce("SUM", losses, axis=None)

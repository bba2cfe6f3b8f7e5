"""Runs on the notebook's strategy instead of the one that is passed: fails for any other.

Loses: mirrored-weights-test
"""


# %% mirrored-step
def mirrored_step(strategy, model, optimizer, batch, global_batch_size):
    def replica_step(x, y):
        with tf.GradientTape() as tape:
            example_losses = tf.reduce_sum((model(x) - y) ** 2, axis=1)
            penalty = tf.add_n(model.losses)
            loss = replica_loss(example_losses, penalty, global_batch_size, REPLICAS)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    losses = mirrored.run(replica_step, args=batch)
    return mirrored.reduce("SUM", losses, axis=None)

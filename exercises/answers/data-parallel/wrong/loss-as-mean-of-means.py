"""Reports the mean over replicas of their mean losses: right until a last batch is uneven.

Loses: mirrored-loss-test
"""


# %% mirrored-step
def mirrored_step(strategy, model, optimizer, batch, global_batch_size):
    replicas = strategy.num_replicas_in_sync

    def replica_step(x, y):
        with tf.GradientTape() as tape:
            example_losses = tf.reduce_sum((model(x) - y) ** 2, axis=1)
            penalty = tf.add_n(model.losses)
            loss = replica_loss(example_losses, penalty, global_batch_size, replicas)
        reported = tf.reduce_mean(example_losses) + penalty
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return reported

    losses = strategy.run(replica_step, args=batch)
    return strategy.reduce("MEAN", losses, axis=None)

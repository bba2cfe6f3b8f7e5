"""Lets the libraries do the arithmetic: compute_average_loss, MSELoss, a flat bucket."""


# %% shard
def shard(examples, world_size, rank, epoch, seed):
    order = list(range(examples))
    np.random.default_rng(seed + epoch).shuffle(order)
    return order[rank::world_size]


# %% replica-loss
def replica_loss(example_losses, penalty, global_batch_size, replicas):
    average = tf.nn.compute_average_loss(example_losses, global_batch_size=global_batch_size)
    return average + penalty / tf.cast(replicas, penalty.dtype)


# %% mirrored-step
def mirrored_step(strategy, model, optimizer, batch, global_batch_size):
    @tf.function
    def step(x, y):
        def replica_step(x, y):
            with tf.GradientTape() as tape:
                example_losses = keras.losses.MeanSquaredError(reduction="none")(y, model(x))
                loss = replica_loss(
                    example_losses,
                    tf.add_n(model.losses),
                    global_batch_size,
                    strategy.num_replicas_in_sync,
                )
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))
            return loss

        return strategy.reduce(
            tf.distribute.ReduceOp.SUM, strategy.run(replica_step, args=(x, y)), axis=None
        )

    return step(*batch)


# %% hand-step
def hand_step(models, optimizers, shards):
    criterion = torch.nn.MSELoss()
    buckets = []
    for model, (x, y) in zip(models, shards):
        model.zero_grad()
        criterion(model(x), y).backward()
        buckets.append(torch.cat([p.grad.flatten() for p in model.parameters()]))
    mean = torch.stack(buckets).mean(0)
    for model, optimizer in zip(models, optimizers):
        sizes = [p.numel() for p in model.parameters()]
        for p, part in zip(model.parameters(), mean.split(sizes)):
            p.grad.copy_(part.view_as(p))
        optimizer.step()


# %% scale-up
def scale_up(batch_size, learning_rate, examples, replicas):
    global_batch = replicas * batch_size
    return global_batch, replicas * learning_rate, -(-examples // global_batch)


# %% read-trace
def read_trace():
    backward_end = max(e.end for e in events if e.rank == 0 and e.kind == "backward")
    step_end = max(e.end for e in events)
    return np.int64(2), round(1000 * (step_end - backward_end), 6)

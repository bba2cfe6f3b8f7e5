"""Scales every mean by the share of examples that it stands for, and reduces by hand.

The other idiom of loss scaling: right wherever the weights add up to one, also with unequal shards,
if a shard without examples is looked after.
"""


# %% shard
def shard(examples, world_size, rank, epoch, seed):
    generator = torch.Generator().manual_seed(1000 * seed + epoch)
    order = torch.randperm(examples, generator=generator).numpy()
    return np.array_split(order, world_size)[rank]


# %% replica-loss
def replica_loss(example_losses, penalty, global_batch_size, replicas):
    share = len(example_losses) / global_batch_size
    mean = tf.math.divide_no_nan(
        tf.reduce_sum(example_losses), tf.cast(tf.size(example_losses), tf.float64)
    )
    return share * (mean + penalty)


# %% mirrored-step
def mirrored_step(strategy, model, optimizer, batch, global_batch_size):
    def replica_step(inputs):
        x, y = inputs
        with tf.GradientTape() as tape:
            errors = keras.losses.mean_squared_error(y, model(x))
            loss = replica_loss(
                errors,
                sum(model.losses),
                global_batch_size,
                tf.distribute.get_replica_context().num_replicas_in_sync,
            )
        variables = model.trainable_variables
        optimizer.apply(tape.gradient(loss, variables), variables)
        return loss

    per_replica = strategy.run(replica_step, args=(batch,))
    return tf.add_n(strategy.experimental_local_results(per_replica))


# %% hand-step
def hand_step(models, optimizers, shards):
    total = sum(len(x) for x, _ in shards)
    gradients = []
    for model, (x, y) in zip(models, shards):
        loss = torch.sum((model(x) - y) ** 2) / total
        gradients.append(torch.autograd.grad(loss, list(model.parameters())))
    summed = [torch.stack(parts).sum(dim=0) for parts in zip(*gradients)]
    for model, optimizer in zip(models, optimizers):
        for parameter, gradient in zip(model.parameters(), summed):
            parameter.grad = gradient
        optimizer.step()


# %% accuracy
def accuracy(notes, examples):
    in_order = [note[i] for i in range(len(notes[0])) for note in notes]
    return sum(in_order[:examples]) / examples

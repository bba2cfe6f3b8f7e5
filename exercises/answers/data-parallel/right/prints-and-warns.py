"""Honest code that prints, and calls something that warns: neither may cost points."""


# %% shard
def shard(examples, world_size, rank, epoch, seed):
    import warnings

    print("dealing out", examples, "examples")
    warnings.warn("an old habit", DeprecationWarning, stacklevel=2)
    chosen = np.random.RandomState(seed * 10_000 + epoch).permutation(examples)
    return [int(index) for place, index in enumerate(chosen) if place % world_size == rank]


# %% replica-loss
def replica_loss(example_losses, penalty, global_batch_size, replicas):
    tf.get_logger().warning("replicas: %s", replicas)
    # Each replica carries the share of the penalty that it carries of the examples.
    share = len(example_losses) / global_batch_size
    return tf.math.reduce_sum(example_losses / global_batch_size) + share * penalty


# %% mirrored-step
def mirrored_step(strategy, model, optimizer, batch, global_batch_size):
    x, y = batch

    def local_gradients(x, y):
        with tf.GradientTape() as tape:
            squared = tf.squeeze(tf.square(model(x) - y), axis=1)
            loss = replica_loss(
                squared, tf.add_n(model.losses), global_batch_size, strategy.num_replicas_in_sync
            )
        gradients = tape.gradient(loss, model.trainable_variables)
        print("norm on this replica:", float(tf.linalg.global_norm(gradients)))
        optimizer.apply_gradients(list(zip(gradients, model.trainable_variables)))
        return loss

    shares = strategy.run(local_gradients, args=(x, y))
    total = strategy.reduce("MEAN", shares, axis=None) * strategy.num_replicas_in_sync
    print("loss:", float(total))
    return total


# %% hand-step
def hand_step(models, optimizers, shards):
    world_size = len(models)
    for model, (x, y) in zip(models, shards):
        model.zero_grad()
        (torch.mean((model(x) - y) ** 2) / world_size).backward()
    with torch.no_grad():
        for name, _ in models[0].named_parameters():
            gradients = [model.get_parameter(name).grad for model in models]
            total = torch.zeros_like(gradients[0])
            for gradient in gradients:  # reduce
                total += gradient
            for gradient in gradients:  # broadcast
                gradient.copy_(total)
    for optimizer in optimizers:
        optimizer.step()


# %% accuracy
def accuracy(notes, examples):
    print([len(note) for note in notes])
    right = {}
    for rank, note in enumerate(notes):
        sampler = DistributedSampler(range(examples), len(notes), rank, shuffle=False)
        right.update(zip(sampler, note))
    return np.mean(list(right.values()))

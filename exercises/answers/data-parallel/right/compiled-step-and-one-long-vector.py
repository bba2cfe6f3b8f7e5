"""random.Random, a compiled step, one long vector of gradients, iterators."""


# %% shard
def shard(examples, world_size, rank, epoch, seed):
    import random

    deck = list(range(examples))
    random.Random(f"{seed}/{epoch}").shuffle(deck)
    size, more = divmod(examples, world_size)
    begin = rank * size + min(rank, more)
    return np.array(deck[begin : begin + size + (rank < more)], dtype=int)


# %% mirrored-step
def mirrored_step(strategy, model, optimizer, batch, global_batch_size):
    replicas = strategy.num_replicas_in_sync

    def on_replica(x, y):
        with tf.GradientTape() as tape:
            example_losses = tf.reduce_sum(tf.math.squared_difference(model(x), y), axis=1)
            share = replica_loss(example_losses, sum(model.losses), global_batch_size, replicas)
        variables = model.trainable_variables
        optimizer.apply(tape.gradient(share, variables), variables)
        return share

    @tf.function
    def step(x, y):
        return strategy.reduce("SUM", strategy.run(on_replica, args=(x, y)), axis=None)

    return step(*batch)


# %% hand-step
def hand_step(models, optimizers, shards):
    """One long vector for all gradients, as a bucket; each replica divides its own part by N."""
    from torch.nn.utils import parameters_to_vector

    bucket = 0
    for model, (x, y) in zip(models, shards, strict=True):
        model.zero_grad(set_to_none=False)
        loss = torch.nn.functional.mse_loss(model(x), y) / len(models)
        loss.backward()
        bucket = bucket + parameters_to_vector([p.grad for p in model.parameters()])
    for model, optimizer in zip(models, optimizers, strict=True):
        begin = 0
        for p in model.parameters():
            p.grad = bucket[begin : begin + p.numel()].view_as(p).clone()
            begin += p.numel()
        optimizer.step()


# %% accuracy
def accuracy(notes, examples):
    """Walks over the ranks in turn, as the sampler dealt."""
    import itertools

    piles = [iter(note) for note in notes]
    in_order = (next(pile) for pile in itertools.cycle(piles))
    return sum(map(bool, itertools.islice(in_order, examples))) / examples

"""Classes, autograd.grad, steps in reverse order, readings computed from the events, stderr."""


# %% shard
def shard(examples, world_size, rank, epoch, seed):
    import sys

    print("rank", rank, file=sys.stderr)
    generator = np.random.Generator(np.random.Philox(key=[seed, epoch]))
    return np.array_split(generator.permutation(np.arange(examples)), world_size)[rank]


# %% replica-loss
def replica_loss(example_losses, penalty, global_batch_size, replicas):
    weight = tf.constant(1 / global_batch_size, tf.float64)
    return tf.tensordot(example_losses, tf.fill(tf.shape(example_losses), weight), 1) + tf.divide(
        penalty, tf.constant(replicas, tf.float64)
    )


# %% hand-step
def hand_step(models, optimizers, shards):
    """Sums of squares, divided by the number of all examples; then gradients are sums."""
    everything = sum(y.numel() for _, y in shards)

    class Replica:
        def __init__(self, model, optimizer, shard):
            self.model, self.optimizer, (self.x, self.y) = model, optimizer, shard

        def gradients(self):
            loss = (self.model(self.x) - self.y).square().sum() / everything
            return torch.autograd.grad(loss, list(self.model.parameters()))

        def update(self, gradients):
            for parameter, gradient in zip(self.model.parameters(), gradients, strict=True):
                parameter.grad = gradient.detach().clone()
            self.optimizer.step()

    replicas = [Replica(*three) for three in zip(models, optimizers, shards, strict=True)]
    summed = [torch.stack(same).sum(0) for same in zip(*[r.gradients() for r in replicas])]
    for replica in reversed(replicas):
        replica.update(summed)


# %% scale-up
def scale_up(batch_size, learning_rate, examples, replicas):
    batch = sum(batch_size for _ in range(replicas))
    full, rest = divmod(examples, batch)
    return batch, learning_rate * (batch / batch_size), full + bool(rest)


# %% accuracy
def accuracy(notes, examples):
    """Takes away again what the sampler has repeated from the beginning of the list."""
    repeated = sum(map(len, notes)) - examples
    right = sum(map(np.sum, notes)) - sum(notes[r][0] for r in range(repeated))
    return right / np.float64(examples)


# %% read-trace
def read_trace():
    busy = dict.fromkeys(range(REPLICAS), 0.0)
    for e in events:
        busy[e.rank] += (e.end - e.start) * (e.kind == "backward")
    slow = max(busy, key=busy.get)
    reduces = [e for e in events if e.rank == 0 and e.kind == "all-reduce"]
    computed = max(e.end for e in events if e.rank == 0 and e.kind == "backward")
    exposed = sum(e.end - max(e.start, computed) for e in reduces if e.end > computed)
    return slow, np.float64(1000 * exposed)

"""Copies as objects that are added to, classes for the loop and the verdicts; writes to stderr."""


# %% predict-places
class Placement:
    def __init__(self, devices):
        self.devices = list(devices)

    def Default(self):
        return ["CPU:0"]

    def OneDevice(self):
        return self.devices[:]

    Mirrored = OneDevice

    def CentralStorage(self):
        return ["CPU:0"] if self.devices[1:] else self.devices[:]


def predict_places(strategy, devices, inside):
    print(strategy, devices, file=sys.stderr)
    return getattr(Placement(devices), strategy if inside else "Default")()


# %% predict-copies
class Refused(Exception):
    pass


def predict_copies(strategy, on_read, aggregation, numbers, steps):
    mean = sum(numbers) / len(numbers)
    copies = [0.0] * (len(numbers) if strategy == "Mirrored" else 1)

    def one_step():
        own = numbers
        if len(copies) == 1 and len(numbers) > 1:
            if aggregation == "NONE":
                raise Refused
            own = [mean if aggregation == "MEAN" else sum(numbers)]
        elif not on_read and aggregation != "NONE":
            own = [mean if aggregation == "MEAN" else sum(numbers)] * len(numbers)
        for i, number in enumerate(own):
            copies[i] += number

    try:
        for _ in range(steps):
            one_step()
    except Refused:
        return None
    if not on_read:
        return copies, copies[0]
    return copies, sum(copies) / (len(copies) if aggregation == "MEAN" else 1)


# %% prepare
def prepare(strategy, make_model, make_optimizer, make_metric):
    import warnings

    @contextlib.contextmanager
    def everything():
        with strategy.scope():
            warnings.warn("inside", stacklevel=1)
            yield

    with everything():
        made = {"optimizer": make_optimizer(), "metrics": [make_metric()]}
        model = make_model()
        model.compile(**made, loss="mse")
    return model


# %% batch-size
def batch_size(at_most, examples, replicas):
    size = examples if examples < at_most else at_most
    while size % replicas != 0:
        size -= 1
    return size


# %% train
def train(strategy, data_set, strength):
    class Loop:
        def __init__(self):
            self.model = make_model(strength)
            self.optimizer = keras.optimizers.SGD(1 / 16, momentum=7 / 8)
            self.optimizer.build(self.model.trainable_variables)
            self.seen = tf.Variable(
                np.float64(0), trainable=False, aggregation=tf.VariableAggregation.SUM
            )

        def on_replica(self, x, y, batch_size):
            weights = self.model.trainable_variables
            with tf.GradientTape() as tape:
                wrong = tf.reduce_sum((self.model(x) - y) ** 2 / batch_size[:, None])
                (penalty,) = self.model.losses
                loss = wrong + penalty / strategy.num_replicas_in_sync
            self.optimizer.apply(tape.gradient(loss, weights), weights)
            self.seen.assign_add(tf.cast(tf.shape(x)[0], tf.float64))

    with strategy.scope():
        loop = Loop()
    for batch in strategy.experimental_distribute_dataset(data_set):
        strategy.run(loop.on_replica, args=batch)
    return loop.model.get_weights(), loop.seen.numpy().item()


# %% verdicts
class Verdict:
    def __init__(self):
        self.outcomes = []

    def __str__(self):
        if set(self.outcomes) - {"equals", "not run"}:
            return "no"
        return "unknown" if "not run" in self.outcomes else "yes"


def verdicts(table, way, must_go_on):
    found = {cell["strategy"]: Verdict() for cell in table.cells}
    for each in {way, "a worker is killed"} if must_go_on else {way}:
        for cell in table.select(way=each):
            found[cell["strategy"]].outcomes.append(cell["outcome"])
    return {name: str(verdict) for name, verdict in found.items()}


# %% predict-memory
def predict_memory(parameters, optimizer, replicas):
    kept = ["weight", "gradient", *{"momentum": ["v"], "Adam": ["m", "v"]}.get(optimizer, [])]
    return parameters * len(kept) * np.float32(0).nbytes


# %% most-machines
def most_machines(hours_between_failures, restart, interval, share):
    def lost(n):
        return n * (restart + interval / 2) / hours_between_failures

    high = 1
    while lost(high) <= share:
        high *= 2
    low = 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if lost(middle) <= share else (low, middle)
    return low

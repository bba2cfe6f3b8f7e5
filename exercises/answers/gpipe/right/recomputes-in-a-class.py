"""A small class, and a step that recomputes what it needs; a round's backward passes in reverse."""


# %% batch-gradients
def batch_gradients(model, x, y, sizes):
    total = [np.zeros_like(gradient) for gradient in model.gradients]
    rest_x, rest_y = x, y
    for size in sizes:
        for gradient in model.gradients:
            gradient.fill(0)
        (head_x, rest_x), (head_y, rest_y) = (np.split(rest, [size]) for rest in (rest_x, rest_y))
        outputs = model.forward(head_x)
        model.backward(head_x, outputs, (outputs[-1] - head_y) * 2 / size)
        for sums, gradient in zip(total, model.gradients):
            sums += gradient * (size / len(x))
    return total


# %% one-pass
def one_pass(stage, kept, kind, index, given):
    match kind:
        case "F":
            *_, last = stage.forward(given)
            kept.update({f"micro-batch {index}": [given]})
            return last
        case "B":
            (x,) = kept.pop(f"micro-batch {index}")
            return stage.backward(x, stage.forward(x), given)


# %% gpipe-schedule
def gpipe_schedule(stages, micro_batches, most):
    rounds = math.ceil(micro_batches / most)
    sizes = [len(part) for part in np.array_split(np.arange(micro_batches), rounds)]
    result = []
    for rank in range(stages):
        words = []
        begin = 0
        for size in sizes:
            members = list(range(begin, begin + size))
            words += [f"{rank}F{i}" for i in members]
            words += [f"{rank}B{i}" for i in reversed(members)]
            begin += size
        result.append(words)
    return result


# %% pipeline-step
class Carrier:
    """One micro-batch on its way through the stages and back."""

    def __init__(self, x, y, examples):
        self.inputs = [x]
        self.y = y
        self.examples = examples

    def forward(self, stage):
        self.inputs.append(stage.forward(self.inputs[-1])[-1])

    def backward(self, stage, slope):
        output = self.inputs.pop()
        if slope is None:
            slope = 2 * (output - self.y) / self.examples
        x = self.inputs[-1]
        return stage.backward(x, stage.forward(x), slope)


def pipeline_step(stages, optimizers, x, y, sizes):
    for stage in stages:
        stage.gradients = [0 * gradient for gradient in stage.gradients]
    carriers = [
        Carrier(x[end - size : end], y[end - size : end], len(x))
        for size, end in zip(sizes, np.cumsum(sizes))
    ]
    for carrier in carriers:
        for stage in stages:
            carrier.forward(stage)
    for carrier in reversed(carriers):
        slope = None
        for stage in reversed(stages):
            slope = carrier.backward(stage, slope)
    for optimizer, stage in zip(optimizers, stages):
        optimizer.step(stage)

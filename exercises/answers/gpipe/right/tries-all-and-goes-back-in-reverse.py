"""Tries all cuts, and every rank goes backward in the reverse order, which costs no time."""


# %% cut
def cut(costs, speeds):
    layers = len(costs)
    stages = len(speeds)

    def seconds(inner):
        cuts = [0, *inner, layers]
        return max(sum(costs[cuts[k] : cuts[k + 1]]) / speeds[k] for k in range(stages))

    inner = min(itertools.combinations(range(1, layers), stages - 1), key=seconds)
    return [0, *inner, layers]


# %% batch-gradients
def batch_gradients(model, x, y, sizes):
    total = [np.zeros_like(weight) for weight in model.weights]
    begin = 0
    for size in sizes:
        rows = slice(begin, begin + size)
        begin += size
        model.gradients = [np.zeros_like(weight) for weight in model.weights]
        outputs = model.forward(x[rows])
        mean_slope = 2 * (outputs[-1] - y[rows]) / size
        model.backward(x[rows], outputs, mean_slope)
        for sum_of_all, gradient in zip(total, model.gradients):
            sum_of_all += gradient * size / len(x)
    return total


# %% one-pass
def one_pass(stage, kept, kind, index, given):
    if kind == "F":
        *_, output = stage.forward(given)
        kept[index] = [given.copy()]
        return output
    (x,) = kept[index]
    outputs = stage.forward(x)
    slope = stage.backward(x, outputs, given)
    del kept[index]
    return slope


# %% gpipe-schedule
def gpipe_schedule(stages, micro_batches, most):
    ranks = []
    for rank in range(stages):
        order = []
        for begin in range(0, micro_batches, most):
            members = list(range(micro_batches))[begin : begin + most]
            order += [schedules.Op(rank, "F", i) for i in members]
            order += [schedules.Op(rank, "B", i) for i in reversed(members)]
        ranks.append(order)
    return ranks


# %% predict-makespan
def predict_makespan(forward, backward, micro_batches):
    there = sum(forward) + max(forward) * (micro_batches - 1)
    back = sum(backward) + max(backward) * (micro_batches - 1)
    return there + back


# %% predict-bubbles
def predict_bubbles(forward, backward, micro_batches):
    makespan = predict_makespan(forward, backward, micro_batches)
    idle = 0
    works = 0
    for f, b in zip(forward, backward):
        works += micro_batches * (f + b)
        idle += makespan - micro_batches * (f + b)
    return idle / (idle + works), idle / works


# %% enough-micro-batches
def enough_micro_batches(stages, share):
    return max(1, math.ceil((stages - 1) * (1 - share) / share - 1e-9))


# %% predict-held
def predict_held(widths, sizes, recompute):
    if not recompute:
        return sum(widths) * sum(sizes)
    inputs = widths[0] * sum(sizes)
    most = 0
    for size in sizes:
        most = max(most, inputs + size * sum(widths[1:]))
        inputs -= size * widths[0]
    return most


# %% pipeline-step
def pipeline_step(stages, optimizers, x, y, sizes):
    xs, ys = (np.split(array, np.cumsum(sizes)[:-1]) for array in (x, y))
    numbers = range(len(sizes))
    kept = {}
    messages = deque(xs)
    for rank, stage in enumerate(stages):
        for gradient in stage.gradients:
            gradient[:] = 0
        for i in numbers:
            given = messages.popleft()
            of_layers = stage.forward(given)
            kept[rank, i] = given, of_layers
            messages.append(of_layers[-1])
    outputs = list(messages)
    messages.clear()
    for rank in reversed(range(len(stages))):
        last = rank == len(stages) - 1
        for i in reversed(numbers):
            slope = 2 * (outputs[i] - ys[i]) / len(x) if last else messages.popleft()
            given, of_layers = kept.pop((rank, i))
            messages.append(stages[rank].backward(given, of_layers, slope))
    for optimizer, stage in zip(optimizers, stages):
        optimizer.step(stage)


# %% read-trace
def read_trace():
    return 2, 0.446, 0.25

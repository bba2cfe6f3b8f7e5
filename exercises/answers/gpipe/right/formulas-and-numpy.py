"""Arrays, formulas and searches instead of loops."""


# %% cut
def cut(costs, speeds):
    ends = np.concatenate([[0], np.cumsum(costs)])

    def fits(seconds):
        """Can the stages do it in so many seconds? A set of reachable places after each."""
        reachable = [{0}]
        for speed in speeds:
            reachable.append(
                {
                    end
                    for begin in reachable[-1]
                    for end in range(begin + 1, len(ends))
                    if (ends[end] - ends[begin]) / speed <= seconds
                }
            )
        return reachable if len(costs) in reachable[-1] else None

    spans = {
        (ends[b] - ends[a]) / speed
        for speed in speeds
        for a in range(len(ends))
        for b in range(a + 1, len(ends))
    }
    seconds = min(span for span in spans if fits(span))
    reachable = fits(seconds)
    cuts = [len(costs)]
    for k in reversed(range(len(speeds))):
        end = cuts[0]
        possible = (
            begin
            for begin in reachable[k]
            if begin < end and (ends[end] - ends[begin]) / speeds[k] <= seconds
        )
        cuts.insert(0, next(possible))
    return cuts


# %% batch-gradients
def batch_gradients(model, x, y, sizes):
    fresh = Stage(WIDTHS)
    fresh.weights = model.weights
    fresh.passes = model.passes
    ends = np.cumsum(sizes)
    for begin, end in zip(ends - sizes, ends):
        outputs = fresh.forward(x[begin:end])
        fresh.backward(x[begin:end], outputs, (outputs[-1] - y[begin:end]) * (2 / ends[-1]))
    return fresh.gradients


# %% one-pass
def one_pass(stage, kept, kind, index, given):
    if kind == "B":
        x = kept[index]["input"]
        kept[index] = None
        return stage.backward(x, outputs=stage.forward(x), slope=given)
    kept[index] = {"input": given}
    return stage.forward(given)[-1]


# %% gpipe-schedule
def gpipe_schedule(stages, micro_batches, most):
    def of_rank(rank):
        keys = [(i // most, kind == "B", i, kind) for kind in "FB" for i in range(micro_batches)]
        return [f"{rank}{kind}{i}" for _, _, i, kind in sorted(keys)]

    return list(map(of_rank, range(stages)))


# %% predict-makespan
def predict_makespan(forward, backward, micro_batches):
    times = np.array([forward, backward], float)
    return float((times.sum(1) + (micro_batches - 1) * times.max(1)).sum())


# %% predict-bubbles
def predict_bubbles(forward, backward, micro_batches):
    time = predict_makespan(forward, backward, micro_batches)
    work = np.mean(np.add(forward, backward)) * micro_batches
    return (time - work) / time, (time - work) / work


# %% enough-micro-batches
def enough_micro_batches(stages, share):
    for count in itertools.count(1):
        if predict_bubbles([1] * stages, [1] * stages, count)[0] <= share:
            return count


# %% predict-held
def predict_held(widths, sizes, recompute):
    waiting = np.cumsum(sizes[::-1])[::-1]
    if recompute:
        return (waiting * widths[0] + np.multiply(sizes, sum(widths[1:]))).max()
    return np.outer(widths, sizes).sum()


# %% pipeline-step
def pipeline_step(stages, optimizers, x, y, sizes):
    for stage in stages:
        stage.gradients = [np.zeros_like(weight) for weight in stage.weights]
    ends = np.cumsum(sizes)[:-1]
    for piece_x, piece_y in zip(np.split(x, ends), np.split(y, ends)):
        inputs = [piece_x]
        outputs = []
        for stage in stages:
            outputs.append(stage.forward(inputs[-1]))
            inputs.append(outputs[-1][-1])
        slope = 2 * (inputs[-1] - piece_y) / len(x)
        for k in reversed(range(len(stages))):
            slope = stages[k].backward(inputs[k], outputs[k], slope)
    for k in range(len(stages)):
        optimizers[k].step(stages[k])


# %% read-trace
def read_trace():
    busy = trace.busy(events, *schedules.WORK)
    time = len(busy) * trace.makespan(events)
    return max(busy, key=busy.get), 1 - sum(busy.values()) / time, 1 / len(busy)

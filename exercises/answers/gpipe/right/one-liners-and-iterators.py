"""Iterators, recursion with a memory, and comprehensions."""


# %% cut
def cut(costs, speeds):
    memory = {}

    def best(begin, stage):
        """Seconds of the slowest stage from here on, and where these stages end."""
        if stage == len(speeds) - 1:
            return sum(costs[begin:]) / speeds[stage], (len(costs),)
        if (begin, stage) not in memory:
            memory[begin, stage] = min(
                (max(sum(costs[begin:end]) / speeds[stage], rest), (end, *ends))
                for end in range(begin + 1, len(costs) - (len(speeds) - stage - 2))
                for rest, ends in [best(end, stage + 1)]
            )
        return memory[begin, stage]

    return [0, *best(0, 0)[1]]


# %% predict-bubbles
def predict_bubbles(forward, backward, micro_batches):
    busy = [micro_batches * (f + b) for f, b in zip(forward, backward)]
    span = predict_makespan(forward, backward, micro_batches)
    idle = sum(span - b for b in busy)
    return idle / (span * len(busy)), idle / sum(busy)


# %% enough-micro-batches
def enough_micro_batches(stages, share):
    return next(m for m in itertools.count(1) if stages - 1 <= share * (m + stages - 1))


# %% predict-held
def predict_held(widths, sizes, recompute):
    inputs = list(itertools.accumulate(reversed(sizes)))[::-1]
    each = [sum(widths[1:]) * size for size in sizes]
    if recompute:
        return max(i * widths[0] + e for i, e in zip(inputs, each))
    return inputs[0] * widths[0] + sum(each)

"""Honest code that prints, and functions that call themselves."""


# %% cut
def cut(costs, speeds):
    def best(first, stage):
        left = len(speeds) - stage - 1
        if left == 0:
            return sum(costs[first:]) / speeds[stage], [len(costs)]
        found = []
        for end in range(first + 1, len(costs) - left + 1):
            rest, cuts = best(end, stage + 1)
            found.append((max(rest, sum(costs[first:end]) / speeds[stage]), [end, *cuts]))
        return min(found)

    seconds, cuts = best(0, 0)
    print("the slowest stage takes", seconds)
    return [0, *cuts]


# %% gpipe-schedule
def gpipe_schedule(stages, micro_batches, most):
    if micro_batches <= most:
        numbers = range(micro_batches)
        return [[f"{r}{k}{i}" for k in "FB" for i in numbers] for r in range(stages)]
    head = gpipe_schedule(stages, micro_batches - most, most)
    tail = range(micro_batches - most, micro_batches)
    return [ops + [f"{r}{k}{i}" for k in "FB" for i in tail] for r, ops in enumerate(head)]


# %% enough-micro-batches
def enough_micro_batches(stages, share):
    few = 1
    while predict_bubbles([1] * stages, [1] * stages, few)[0] > share:
        few += 1
    print(few, "are enough")
    return few

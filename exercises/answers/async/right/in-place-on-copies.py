"""Changes arrays of its own in place, and sends copies."""


# %% serve
def serve(receive, send, weights, rate, oldest):
    weights = np.array(weights)
    applied = []
    while True:
        message = receive()
        if message is None:
            break
        worker, gradient, version = message
        stale = len(applied) - version
        if not stale > oldest:
            weights -= np.multiply(gradient, rate / (stale + 1))
            applied.append(worker)
        send(worker, weights.copy(), len(applied))
    return weights


# %% smallest-bound
def smallest_bound(log, workers):
    leads = [0]
    steps = np.zeros(len(workers), int)
    for what, worker in log:
        at = workers.index(worker)
        if what == "weights":
            leads.append(steps[at] - steps.min())
        steps[at] += what == "gradient"
    return max(leads)


# %% local-sgd
def local_sgd(gradient, weights, rounds, steps, rate, examples):
    shared = weights.copy()
    for _ in range(rounds):
        moved = np.zeros_like(shared)
        for worker, number in enumerate(examples):
            copy = shared.copy()
            for _ in range(steps):
                copy -= rate * gradient(worker, copy)
            moved += number * (copy - shared)
        shared += moved / sum(examples)
    return shared

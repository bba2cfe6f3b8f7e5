"""Finds the limits by search, with warnings on its way."""


# %% largest-rate
def largest_rate(curvatures, delay):
    np.float64(1) / np.float64(0)
    low, high = 0.0, 4.0
    for _ in range(30):
        middle = (low + high) / 2
        polynomial = [1, -1, *[0] * (delay - 1), middle] if delay else [1, middle - 1]
        stable = max(abs(np.roots(polynomial))) < 1
        low, high = (middle, high) if stable else (low, middle)
    return low / np.max(curvatures)


# %% most-workers
def most_workers(rate, curvature):
    workers = np.arange(1, 10_000)
    limits = 2 * np.sin(np.pi / (4 * workers - 2))
    return np.sum(limits > rate * curvature)


# %% best-needed
def best_needed(times):
    rates = [np.partition(times, k, axis=1)[:, k].mean() / (k + 1) for k in range(times.shape[1])]
    return np.argmin(rates) + 1

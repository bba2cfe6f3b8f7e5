"""Leans on what is there: the package's trace, NumPy, tf.data in other words."""


# %% epoch-seconds
def epoch_seconds(elements, read, change, step, calls, prefetch, threads):
    if calls:
        together = np.array([read, change, read + change, step])
        pace = (together / [1, min(calls, threads), threads, 1]).max()
    else:
        pace = np.maximum(read + change, step) if prefetch else read + change + step
    return read + change + step + (elements - 1) * pace


# %% training-order
def training_order(decoded_fits):
    order = ["cache", "augment", "batch", "repeat", "prefetch"]
    order[1:1] = ["shuffle"] if decoded_fits else ["shuffle", "decode"]
    return ["decode", *order] if decoded_fits else order


# %% diagnose
def diagnose(events, workers, more):
    work = {kind: sum(trace.busy(events, kind).values()) for kind in workers}
    shares = {kind: work[kind] / trace.makespan(events) / workers[kind] for kind in workers}
    slowest = max(shares, key=shares.get)
    paces = [work[kind] / (more if kind == slowest else workers[kind]) for kind in workers]
    return shares, slowest, np.float64(work[slowest] / workers[slowest]) / max(paces)


# %% worker-data
def worker_data(files, open_file, workers, index):
    data = tf.data.Dataset.from_tensor_slices(files)
    if len(files) < workers:
        data = data.flat_map(open_file).enumerate()
        data = data.filter(lambda i, _: i % workers == index).map(lambda _, x: x)
    else:
        data = data.enumerate().filter(lambda i, _: i % workers == index)
        data = data.flat_map(lambda _, file: open_file(file))
    return data.prefetch(2)

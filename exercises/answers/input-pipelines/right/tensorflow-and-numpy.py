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
    order = ["decode", "shuffle", "augment", "batch", "repeat", "prefetch"]
    order.insert(1 if decoded_fits else 0, "cache")
    return order


# %% validation-order
def validation_order():
    return ["shuffle once", "decode", "batch", "cache", "repeat", "prefetch"]


# %% trial-data
def trial_data(examples, read, use, batch):
    data = tf.data.Dataset.from_tensor_slices(np.arange(use, dtype=np.int64))
    return data.map(read, num_parallel_calls=2).cache().shuffle(use).batch(batch)


# %% diagnose
def diagnose(events, workers, more):
    work = {kind: sum(trace.busy(events, kind).values()) for kind in workers}
    shares = {kind: work[kind] / trace.makespan(events) / workers[kind] for kind in workers}
    slowest = max(shares, key=shares.get)
    paces = [work[kind] / (more if kind == slowest else workers[kind]) for kind in workers]
    return shares, slowest, np.float64(work[slowest] / workers[slowest]) / max(paces)


# %% fast-batches
def fast_batches(data, look_up, batch):
    @tf.function
    def prepare(examples, looked):
        def one(pair):
            example, found = pair
            centred = found - tf.reduce_mean(example)
            scaled = centred / tf.reduce_max(tf.abs(centred))
            return tf.concat([scaled, tf.reduce_sum(example, keepdims=True)], 0)

        return tf.vectorized_map(one, (examples, looked))

    return data.batch(batch).map(lambda x: (x, look_up(x))).map(prepare)


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

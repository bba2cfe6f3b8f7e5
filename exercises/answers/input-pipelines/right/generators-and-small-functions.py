"""Generators, a table of functions, blocks of files, a share as the first of each group."""


# %% prefetched
def prefetched(source, ahead):
    ring = queue.Queue(maxsize=ahead)
    consumer_left = threading.Event()

    def hand_over(tag, value=None):
        while not consumer_left.is_set():
            try:
                ring.put((tag, value), block=True, timeout=0.02)
            except queue.Full:
                continue
            return True

    def fill():
        try:
            all(hand_over("one", element) for element in source)
        except BaseException as error:
            hand_over("failed", error)
        hand_over("over")

    def items():
        while (item := ring.get())[0] != "over":
            yield item

    threading.Thread(target=fill, daemon=True, name="prefetch by hand").start()
    try:
        for tag, value in items():
            if tag == "failed":
                raise value
            yield value
    finally:
        consumer_left.set()


# %% epoch-seconds
def epoch_seconds(elements, read, change, step, calls, prefetch, threads):
    def sides():
        if calls:
            yield from (read, step)
            yield change / min(calls, threads)
            yield (read + change) / threads
        else:
            yield read + change + (0 if prefetch else step)
            yield step

    ends = itertools.accumulate([max(sides())] * (elements - 1), initial=read + change + step)
    return np.float64([*ends][-1])


# %% build
def build(files, open_file, decode, normalise, readers, calls, batch, threads):
    data = tf.data.Dataset.from_generator(
        lambda: iter(files), output_signature=tf.TensorSpec((), tf.int32)
    )
    stages = (
        lambda d: d.interleave(
            open_file,
            cycle_length=readers,
            block_length=1,
            num_parallel_calls=readers,
            deterministic=True,
        ),
        lambda d: d.map(decode, num_parallel_calls=calls, deterministic=True),
        lambda d: d.batch(batch),
        lambda d: d.map(normalise),
        lambda d: d.prefetch(1),
    )
    for one in stages:
        data = one(data)
    pool, ours = tf.data.Options(), tf.data.Options()
    pool.threading.private_threadpool_size = threads
    ours.experimental_optimization.inject_prefetch = False
    return data.with_options(pool).with_options(ours)


# %% training-order
def training_order(decoded_fits):
    def words():
        yield from ["decode", "cache"] if decoded_fits else ["cache"]
        yield from ["shuffle"]
        if not decoded_fits:
            yield "decode"
        yield from ("augment", "batch", "repeat", "prefetch")

    return [*words()]


# %% diagnose
def diagnose(events, workers, more):
    totals = Counter()
    for event in reversed(events):
        totals.update({event.kind: event.end - event.start})
    per_worker = {kind: totals[kind] / workers[kind] for kind in workers}
    ranking = sorted(per_worker, key=per_worker.__getitem__, reverse=True)
    first, others = ranking[0], ranking[1:]
    rivals = [per_worker[kind] for kind in others] + [totals[first] / more]
    utilisation = {kind: seconds / trace.makespan(events) for kind, seconds in per_worker.items()}
    return utilisation, first, per_worker[first] / max(rivals)


# %% worker-data
def worker_data(files, open_file, workers, index):
    if len(files) < workers:
        data = tf.data.Dataset.from_tensor_slices(list(files)).flat_map(open_file)
        return data.skip(index).batch(workers).map(lambda group: group[0])
    mine = np.array_split(np.array(files), workers)[index]
    return tf.data.Dataset.from_tensor_slices(mine).interleave(open_file, cycle_length=2)

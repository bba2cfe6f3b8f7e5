"""No queue with a bound but a semaphore; loops and plain arithmetic."""


# %% prefetched
def prefetched(source, ahead):
    ready = queue.SimpleQueue()
    room = threading.Semaphore(ahead)
    left = threading.Event()

    def fetch():
        error = None
        try:
            for element in source:
                ready.put((element,))
                room.acquire()
                if left.is_set():
                    return
        except Exception as raised:
            error = raised
        ready.put(error)

    threading.Thread(target=fetch, name="fetch", daemon=True).start()
    try:
        while True:
            item = ready.get()
            if isinstance(item, tuple):
                room.release()
                yield item[0]
            elif item is None:
                return
            else:
                raise item
    finally:
        left.set()
        room.release()


# %% epoch-seconds
def epoch_seconds(elements, read, change, step, calls, prefetch, threads):
    if calls is None and not prefetch:
        return elements * (read + change + step)
    if calls is None:
        stages = [read + change, step]
    else:
        stages = [read, change / calls, change / threads, (read + change) / threads, step]
    pace = 0
    for seconds in stages:
        if seconds > pace:
            pace = seconds
    return read + change + step + elements * pace - pace


# %% build
def build(files, open_file, decode, normalise, readers, calls, batch, threads):
    data = tf.data.Dataset.range(len(files))
    numbers = tf.constant(files)
    data = data.interleave(
        lambda i: open_file(numbers[i]),
        cycle_length=readers,
        block_length=1,
        num_parallel_calls=readers,
        deterministic=True,
    )
    data = data.prefetch(batch).map(decode, calls, deterministic=True)
    data = data.prefetch(batch).batch(batch).prefetch(1).map(normalise).prefetch(tf.data.AUTOTUNE)
    options = tf.data.Options()
    options.deterministic = True
    options.threading.private_threadpool_size = threads
    options.experimental_optimization.inject_prefetch = False
    return data.with_options(options)


# %% training-order
def training_order(decoded_fits):
    words = "decode cache augment shuffle" if decoded_fits else "cache shuffle decode augment"
    return tuple(f"{words} batch repeat prefetch".split())


# %% diagnose
def diagnose(events, workers, more):
    shares = {}
    pace = {}
    start = min(event.start for event in events)
    end = max(event.end for event in events)
    for name, count in workers.items():
        pace[name] = 0.0
        for event in events:
            if event.kind == name:
                pace[name] += (event.end - event.start) / count
        shares[name] = pace[name] / (end - start)
    bottleneck = sorted(shares, key=lambda name: shares[name])[-1]
    old = pace[bottleneck]
    pace[bottleneck] *= workers[bottleneck] / more
    return shares, bottleneck, old / max(pace.values())


# %% worker-data
def worker_data(files, open_file, workers, index):
    few = len(files) < workers
    mine = files if few else files[index::workers]
    data = None
    for file in mine:
        more = open_file(tf.constant(file))
        data = more if data is None else data.concatenate(more)
    return data.shard(workers, index) if few else data

"""A class for the thread, recursion, words on stderr, every example numbered."""


# %% prefetched
class Fetcher(threading.Thread):
    def __init__(self, source, ahead):
        super().__init__(daemon=True)
        self.source = source
        self.room = threading.Semaphore(ahead)
        self.came = queue.SimpleQueue()
        self.stop = False

    def run(self):
        try:
            iterator = iter(self.source)
            while not self.stop:
                try:
                    element = next(iterator)
                except StopIteration:
                    break
                while not self.room.acquire(timeout=0.1):
                    if self.stop:
                        return
                self.came.put((True, element))
            self.came.put((False, None))
        except BaseException as error:
            print("the source said", repr(error), file=sys.stderr)
            self.came.put((False, error))


def prefetched(source, ahead):
    fetcher = Fetcher(source, ahead)
    fetcher.start()
    try:
        more, value = fetcher.came.get()
        while more:
            fetcher.room.release()
            yield value
            more, value = fetcher.came.get()
        if value is not None:
            raise value
    finally:
        fetcher.stop = True


# %% epoch-seconds
def epoch_seconds(elements, read, change, step, calls, prefetch, threads):
    if elements == 1:
        return float(read + change + step)
    pace = read + change + step
    if calls is not None:
        pace = max(read, step, change / calls, change / threads, (read + change) / threads)
    elif prefetch:
        pace = max(read + change, step)
    first = epoch_seconds(1, read, change, step, calls, prefetch, threads)
    return first + math.fsum([pace] * (elements - 1))


# %% build
def build(files, open_file, decode, normalise, readers, calls, batch, threads):
    options = tf.data.Options()
    options.threading.private_threadpool_size = threads
    options.experimental_optimization.inject_prefetch = False
    options.deterministic = True
    print(f"{len(files)} files, {readers} readers", file=sys.stderr)
    return (
        tf.data.Dataset.from_tensor_slices(tf.constant(files))
        .with_options(options)
        .interleave(open_file, readers, 1, readers)
        .map(decode, calls)
        .batch(batch, drop_remainder=False)
        .map(normalise, num_parallel_calls=1)
        .prefetch(2)
    )


# %% training-order
def training_order(decoded_fits):
    order = ["cache", "shuffle", "augment", "batch", "repeat", "prefetch"]
    order.insert(0 if decoded_fits else 2, "decode")
    return order


# %% diagnose
def diagnose(events, workers, more):
    def pace(who, how_many):
        return sum(e.end - e.start for e in events if e.kind == who) / how_many

    def slowest(left, best=None):
        if not left:
            return best
        head, *tail = left
        return slowest(
            tail,
            head if best is None or pace(head, workers[head]) > pace(best, workers[best]) else best,
        )

    begin, end = min(e.start for e in events), max(e.end for e in events)
    used = {kind: pace(kind, n) / (end - begin) for kind, n in workers.items()}
    worst = slowest(list(workers))
    afterwards = max(pace(k, more if k == worst else n) for k, n in workers.items())
    print("slowest:", worst, file=sys.stderr)
    return used, worst, pace(worst, workers[worst]) / afterwards


# %% worker-data
def worker_data(files, open_file, workers, index):
    mine = files[index::workers]
    if len(files) < workers:
        data = tf.data.Dataset.from_tensor_slices(files).flat_map(open_file).enumerate()
        return data.filter(lambda i, _: i % workers == index).map(lambda _, x: x)
    return tf.data.Dataset.from_tensor_slices(mine).flat_map(open_file)

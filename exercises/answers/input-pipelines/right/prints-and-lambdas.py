"""Honest code that prints, with lambdas in chains of calls, and a class for the thread."""


# %% prefetched
def prefetched(source, ahead):
    class Fetcher(threading.Thread):
        def __init__(self):
            super().__init__(daemon=True)
            self.lock = threading.Condition()
            self.items = []
            self.over = False
            self.error = None
            self.stop = False

        def run(self):
            try:
                for element in source:
                    with self.lock:
                        self.items.append(element)
                        self.lock.notify_all()
                        self.lock.wait_for(lambda: len(self.items) < ahead or self.stop)
                        if self.stop:
                            return
            except BaseException as error:
                self.error = error
            with self.lock:
                self.over = True
                self.lock.notify_all()

    fetcher = Fetcher()
    fetcher.start()
    print("prefetching", ahead)
    try:
        while True:
            with fetcher.lock:
                fetcher.lock.wait_for(lambda: fetcher.items or fetcher.over)
                if not fetcher.items:
                    break
                element = fetcher.items.pop(0)
                fetcher.lock.notify_all()
            yield element
        if fetcher.error:
            raise fetcher.error
    finally:
        with fetcher.lock:
            fetcher.stop = True
            fetcher.lock.notify_all()


# %% build
def build(files, open_file, decode, normalise, readers, calls, batch, threads):
    options = tf.data.Options()
    options.threading.private_threadpool_size = threads
    options.experimental_optimization.inject_prefetch = False
    data = tf.data.Dataset.from_generator(
        lambda: iter(files), output_signature=tf.TensorSpec((), tf.int32)
    )
    data = data.interleave(lambda f: open_file(f), readers, 1, readers).map(
        lambda x: decode(x), calls
    )
    print(data)
    data = data.batch(batch).map(lambda b: normalise(b), num_parallel_calls=2).prefetch(1)
    return data.with_options(options)

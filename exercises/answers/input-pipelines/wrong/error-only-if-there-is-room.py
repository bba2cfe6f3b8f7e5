"""put_nowait: with a full queue the error is lost, and the consumer waits for ever.

Loses: prefetched-ends-test
"""


# %% prefetched
def prefetched(source, ahead):
    waiting, left = queue.Queue(ahead), threading.Event()

    def put(item):
        while not left.is_set():
            try:
                return waiting.put(item, timeout=0.05)
            except queue.Full:
                pass

    def fetch():
        try:
            for element in itertools.takewhile(lambda _: not left.is_set(), source):
                put(("element", element))
            put(("end", None))
        except BaseException as error:
            waiting.put_nowait(("error", error))

    threading.Thread(target=fetch, daemon=True).start()
    try:
        while (item := waiting.get())[0] == "element":
            yield item[1]
        if item[0] == "error":
            raise item[1]
    finally:
        left.set()

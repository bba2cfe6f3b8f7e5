"""The thread ends with the exception, and the consumer waits for ever.

Loses: prefetched-ends-test
"""


# %% prefetched
def prefetched(source, ahead):
    waiting, left, end = queue.Queue(ahead), threading.Event(), object()

    def put(item):
        while not left.is_set():
            try:
                return waiting.put(item, timeout=0.05)
            except queue.Full:
                pass

    def fetch():
        for element in source:
            put(element)
            if left.is_set():
                return
        put(end)

    threading.Thread(target=fetch, daemon=True).start()
    try:
        while (element := waiting.get()) is not end:
            yield element
    finally:
        left.set()

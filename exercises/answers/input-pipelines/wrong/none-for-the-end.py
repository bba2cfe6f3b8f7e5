"""None marks the end, so an element that is None ends the epoch.

Loses: prefetched-test
"""


# %% prefetched
def prefetched(source, ahead):
    waiting, left, errors = queue.Queue(ahead), threading.Event(), []

    def put(item):
        while not left.is_set():
            try:
                return waiting.put(item, timeout=0.05)
            except queue.Full:
                pass

    def fetch():
        try:
            for element in itertools.takewhile(lambda _: not left.is_set(), source):
                put(element)
        except Exception as error:
            errors.append(error)
        put(None)

    threading.Thread(target=fetch, daemon=True).start()
    try:
        while (element := waiting.get()) is not None:
            yield element
        if errors:
            raise errors[0]
    finally:
        left.set()

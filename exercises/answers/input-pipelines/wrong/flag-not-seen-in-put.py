"""A flag for the thread that ends, but put waits for room without looking at it.

Loses: prefetched-ends-test
"""


# %% prefetched
def prefetched(source, ahead):
    waiting, left = queue.Queue(ahead), threading.Event()

    def fetch():
        try:
            for element in source:
                if left.is_set():
                    return
                waiting.put(("element", element))
            waiting.put(("end", None))
        except Exception as error:
            waiting.put(("error", error))

    threading.Thread(target=fetch, daemon=True).start()
    try:
        while (item := waiting.get())[0] == "element":
            yield item[1]
        if item[0] == "error":
            raise item[1]
    finally:
        left.set()

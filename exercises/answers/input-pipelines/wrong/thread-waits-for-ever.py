"""As in the chapter: who leaves the loop leaves a thread that waits for room.

Loses: prefetched-ends-test
"""


# %% prefetched
def prefetched(source, ahead):
    waiting = queue.Queue(ahead)

    def fetch():
        try:
            for element in source:
                waiting.put(("element", element))
            waiting.put(("end", None))
        except Exception as error:
            waiting.put(("error", error))

    threading.Thread(target=fetch, daemon=True).start()
    while True:
        kind, value = waiting.get()
        if kind == "end":
            return
        if kind == "error":
            raise value
        yield value

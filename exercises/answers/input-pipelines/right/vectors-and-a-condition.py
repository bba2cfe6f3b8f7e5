"""A condition and a deque in place of a queue; vectors; results as NumPy's numbers."""


# %% prefetched
def prefetched(source, ahead):
    from collections import deque

    waiting = deque()
    changed = threading.Condition()
    state = {"left": False, "ended": False, "error": None}

    def work():
        try:
            for element in source:
                with changed:
                    while len(waiting) >= ahead and not state["left"]:
                        changed.wait()
                    if state["left"]:
                        return
                    waiting.append(element)
                    changed.notify_all()
        except BaseException as error:
            state["error"] = error
        finally:
            with changed:
                state["ended"] = True
                changed.notify_all()

    threading.Thread(target=work, daemon=True).start()
    try:
        while True:
            with changed:
                while not waiting and not state["ended"]:
                    changed.wait()
                if not waiting:
                    break
                element = waiting.popleft()
                changed.notify_all()
            yield element
        if state["error"] is not None:
            raise state["error"]
    finally:
        with changed:
            state["left"] = True
            changed.notify_all()


# %% epoch-seconds
def epoch_seconds(elements, read, change, step, calls, prefetch, threads):
    work = np.array([read, change, step], dtype=np.float64)
    if calls is not None:
        paces = np.append(work / [1, np.minimum(calls, threads), 1], work[:2].sum() / threads)
    else:
        paces = np.add.reduceat(work, [0, 2]) if prefetch else work.sum(keepdims=True)
    return work.sum() + (elements - 1) * paces.max()


# %% training-order
def training_order(decoded_fits):
    cached = ("decode", "cache") if decoded_fits else ("cache",)
    rest = ("shuffle",) + (() if decoded_fits else ("decode",))
    return list(np.array(cached + rest + ("augment", "batch", "repeat", "prefetch")))


# %% diagnose
def diagnose(events, workers, more):
    kinds = np.array(list(workers))
    have = np.array(list(workers.values()))
    of = np.array([[event.kind == kind for kind in kinds] for event in events])
    spans = np.array([(event.start, event.end) for event in events])
    work = of.T @ np.diff(spans, axis=1)[:, 0]
    used = work / (have * np.ptp(spans))
    slowest = int(used.argmax())
    then = np.where(np.arange(len(kinds)) == slowest, more, have)
    factor = (work / have).max() / (work / then).max()
    return dict(zip(kinds.tolist(), used, strict=True)), str(kinds[slowest]), factor

"""Expects that the strategy says what is the matter: the worker has no TPU.

Loses: sign-strategy-test
"""


# %% first-sign
def first_sign(address, calls, workers, tpu_here):
    if not address:
        return "no name"
    worker = address.removeprefix("grpc://")
    done = set()
    for call in calls:
        if call == "connect" and address != "local" and worker not in workers:
            return "waits"
        if call == "initialize" and address == "local" and not tpu_here:
            return "no kernel"
        if call == "initialize" and address != "local" and "connect" not in done:
            return "not connected"
        if call in ("initialize", "strategy") and workers.get(worker) == 0:
            return "no TPU"
        if call == "strategy" and "initialize" not in done:
            return "not initialized"
        done.add(call)
    return "nothing"

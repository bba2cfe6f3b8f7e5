"""Lets `connect` notice that the worker has no TPU.

Loses: sign-worker-test
"""


# %% first-sign
def first_sign(address, calls, workers, tpu_here):
    if not address:
        return "no name"
    worker = address.removeprefix("grpc://")
    done = set()
    for call in calls:
        if call == "connect" and address != "local":
            if worker not in workers:
                return "waits"
            if not workers[worker] and "strategy" not in calls:
                return "no TPU"
        if call == "initialize" and address == "local" and not tpu_here:
            return "no kernel"
        if call == "initialize" and address != "local" and "connect" not in done:
            return "not connected"
        if call == "strategy" and "initialize" not in done:
            return "not initialized"
        done.add(call)
    return "nothing"

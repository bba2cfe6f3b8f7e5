"""Confuses the two messages that name TPU_SYSTEM:0.

Loses: sign-worker-test
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
        if call == "initialize" and address != "local":
            if "connect" not in done:
                return "no TPU"
            if not workers[worker]:
                return "not connected"
        if call == "strategy" and "initialize" not in done:
            return "not initialized"
        done.add(call)
    return "nothing"

"""Believes that the resolver already knocks at the address.

Loses: sign-worker-test
"""


# %% first-sign
def first_sign(address, calls, workers, tpu_here):
    if not address:
        return "no name"
    worker = address.removeprefix("grpc://")
    done = set()
    if address != "local" and worker not in workers:
        return "waits"
    for call in calls:
        if call == "initialize" and address == "local" and not tpu_here:
            return "no kernel"
        if call == "initialize" and address != "local":
            if "connect" not in done:
                return "not connected"
            if not workers[worker]:
                return "no TPU"
        if call == "strategy" and "initialize" not in done:
            return "not initialized"
        done.add(call)
    return "nothing"

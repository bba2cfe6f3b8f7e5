"""Believes that a TPU on this machine has to be connected to as well.

Loses: sign-local-test
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
        if call == "initialize":
            if "connect" not in done:
                return "not connected"
            if address == "local" and not tpu_here:
                return "no kernel"
            if address != "local" and not workers[worker]:
                return "no TPU"
        if call == "strategy" and "initialize" not in done:
            return "not initialized"
        done.add(call)
    return "nothing"

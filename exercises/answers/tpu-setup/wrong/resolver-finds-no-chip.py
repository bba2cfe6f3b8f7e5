"""Believes that building a resolver looks for the chip.

Loses: sign-local-test
"""


# %% first-sign
def first_sign(address, calls, workers, tpu_here):
    if not address:
        return "no name"
    if address == "local" and not tpu_here and "strategy" not in calls:
        return "no kernel"
    worker = address.removeprefix("grpc://")
    done = set()
    for call in calls:
        if call == "connect" and address != "local" and worker not in workers:
            return "waits"
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

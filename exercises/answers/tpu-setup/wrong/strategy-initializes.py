"""Believes that the strategy initializes a TPU itself, once it is connected.

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
        if call == "initialize" and address != "local":
            if "connect" not in done:
                return "not connected"
            if not workers[worker]:
                return "no TPU"
        if call == "strategy" and not done:
            return "not initialized"
        done.add(call)
    return "nothing"

"""Asks whether the program initializes at all, not whether it does so before the strategy.

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
        done.add(call)
    if "strategy" in done and "initialize" not in done:
        return "not initialized"
    return "nothing"

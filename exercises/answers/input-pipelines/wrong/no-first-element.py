"""Every element at the pace of the slowest: the pipeline is full from the start.

Loses: epoch-seconds-test
"""


# %% epoch-seconds
def epoch_seconds(elements, read, change, step, calls, prefetch, threads):
    first = read + change + step
    if calls is not None:
        pool = (read + change) / threads
        slowest = max(read, change / min(calls, threads), pool, step)
    elif prefetch:
        slowest = max(read + change, step)
    else:
        slowest = first
    return elements * slowest

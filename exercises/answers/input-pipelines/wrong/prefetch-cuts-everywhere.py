"""One prefetch makes three stages of it: read and change still take turns.

Loses: epoch-seconds-test
"""


# %% epoch-seconds
def epoch_seconds(elements, read, change, step, calls, prefetch, threads):
    first = read + change + step
    if calls is not None:
        pool = (read + change) / threads
        slowest = max(read, change / min(calls, threads), pool, step)
    elif prefetch:
        slowest = max(read, change, step)
    else:
        slowest = first
    return first + (elements - 1) * slowest

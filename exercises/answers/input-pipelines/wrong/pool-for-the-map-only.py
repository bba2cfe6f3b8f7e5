"""Knows the ceiling of the pool, but forgets that the reads use it, too.

Loses: epoch-seconds-test
"""


# %% epoch-seconds
def epoch_seconds(elements, read, change, step, calls, prefetch, threads):
    first = read + change + step
    if calls is not None:
        slowest = max(read, change / min(calls, threads), step)
    elif prefetch:
        slowest = max(read + change, step)
    else:
        slowest = first
    return first + (elements - 1) * slowest

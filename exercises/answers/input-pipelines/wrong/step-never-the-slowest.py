"""Looks for the slowest stage in the pipeline only, and not in the training loop.

Loses: epoch-seconds-test
"""


# %% epoch-seconds
def epoch_seconds(elements, read, change, step, calls, prefetch, threads):
    first = read + change + step
    if calls is not None:
        pool = (read + change) / threads
        slowest = max(read, change / min(calls, threads), pool)
    elif prefetch:
        slowest = read + change
    else:
        slowest = first
    return first + (elements - 1) * slowest

"""Believes `num_parallel_calls`, however small the pool is.

Loses: epoch-seconds-test
"""


# %% epoch-seconds
def epoch_seconds(elements, read, change, step, calls, prefetch, threads):
    first = read + change + step
    if calls is not None:
        slowest = max(read, change / calls, step)
    elif prefetch:
        slowest = max(read + change, step)
    else:
        slowest = first
    return first + (elements - 1) * slowest

"""Refuses to say that one machine is too many.

Loses: most-machines-test
"""


# %% most-machines
def most_machines(hours_between_failures, restart, interval, share):
    return max(1, int(share * hours_between_failures / (restart + interval / 2)))

"""A failure comes at the end of an interval each time.

Loses: most-machines-test
"""


# %% most-machines
def most_machines(hours_between_failures, restart, interval, share):
    return int(share * hours_between_failures / (restart + interval))

"""Runs the calls that it should have foreseen.

Loses: sign-strategy-test
"""


# %% first-sign
def first_sign(address, calls, workers, tpu_here):
    return seen(address, calls, workers, tpu_here)

"""Believes that OFF leaves the strategy to deal out the examples.

Loses: policy-counts-test
"""


# %% policy-counts
def policy_counts(policy, files, per_file, workers):
    examples = files * per_file
    return {
        "FILE": (examples, examples),
        "DATA": (examples, workers * examples),
        "OFF": (examples, workers * examples),
    }[policy]

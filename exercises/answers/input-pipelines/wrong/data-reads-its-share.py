"""Believes that under DATA each worker reads only what it uses.

Loses: policy-counts-test
"""


# %% policy-counts
def policy_counts(policy, files, per_file, workers):
    examples = files * per_file
    return {
        "FILE": (examples, examples),
        "DATA": (examples, examples),
        "OFF": (workers * examples, workers * examples),
    }[policy]

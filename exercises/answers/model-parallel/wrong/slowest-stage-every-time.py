"""Takes K times the slowest stage, as a pipeline's clock would: one batch waits for nobody.

Loses: predict-naive-test
"""


# %% predict-naive
def predict_naive(forward, backward, crossing):
    stages = len(forward)
    seconds = stages * (max(forward) + max(backward)) + 2 * (stages - 1) * crossing
    return seconds, (sum(forward) + sum(backward)) / (stages * seconds)

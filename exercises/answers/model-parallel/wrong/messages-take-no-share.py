"""Takes 1/K for the share whatever the messages take: nobody works while one is on its way.

Loses: predict-naive-test
"""


# %% predict-naive
def predict_naive(forward, backward, crossing):
    stages = len(forward)
    return sum(forward) + sum(backward) + 2 * (stages - 1) * crossing, 1 / stages

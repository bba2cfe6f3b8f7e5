"""D15: takes it that K devices do the work in a K-th of the time, and are all busy.

Loses: predict-naive-test
"""


# %% predict-naive
def predict_naive(forward, backward, crossing):
    work = sum(forward) + sum(backward)
    seconds = work / len(forward) + 2 * (len(forward) - 1) * crossing
    return seconds, work / (len(forward) * seconds)

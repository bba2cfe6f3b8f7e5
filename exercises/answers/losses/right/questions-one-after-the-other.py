"""Asks for three losses, decides by thresholds, and finds the rate by halving."""


# %% diagnose
def diagnose(loss_of, classes):
    sure = loss_of(np.eye(classes)[0] * 30, 0)
    if sure > 10:
        return "next class"
    spread = np.array([1.0] + [0.0] * (classes - 1))
    loss = loss_of(spread, 0)
    by_softmax = math.log(math.e + classes - 1) - 1
    if abs(loss - by_softmax) < 1e-9:
        return "right"
    if abs(loss - by_softmax / math.log(2)) < 1e-9:
        return "bits"
    by_sigmoids = (math.log1p(math.exp(-1)) + (classes - 1) * math.log(2)) / classes
    return "sigmoids" if abs(loss - by_sigmoids) < 1e-9 else "softmax twice"


# %% decisions
def decisions(probabilities, miss, alarm):
    return probabilities >= alarm / (alarm + miss)


# %% largest-rate
def largest_rate(curvature, momentum):
    vector = np.arange(1.0, len(curvature) + 1) ** 0.5
    for _ in range(10_000):
        vector = curvature @ vector
        vector /= np.linalg.norm(vector)
    return 2 * (1 + momentum) / (vector @ curvature @ vector)

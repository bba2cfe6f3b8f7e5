"""Goes example by example, with Python's numbers and lists, and prints as it goes."""


# %% binary-cross-entropy
def binary_cross_entropy(logits, labels):
    print("logits", logits)

    def one(z, y):
        tail = math.log1p(math.exp(-abs(z)))
        return y * (max(-z, 0) + tail) + (1 - y) * (max(z, 0) + tail)

    return [
        sum(one(z, y) for z, y in zip(zs, ys, strict=True)) / len(zs)
        for zs, ys in zip(logits.tolist(), labels.tolist(), strict=True)
    ]


# %% cross-entropy
def cross_entropy(logits, labels):
    loss = 0.0
    for row, (z, label) in enumerate(zip(logits.tolist(), labels.tolist(), strict=True)):
        if not isinstance(label, list):
            label = [float(k == label) for k in range(len(z))]
        if abs(math.fsum(label) - 1) > 1e-6:
            raise ValueError(f"row {row}: {label}")
        top = max(z)
        total = sum(math.exp(one - top) for one in z)
        for one, share in zip(z, label, strict=True):
            loss += share * (math.log(total) - (one - top)) / len(logits)
    return loss


# %% decisions
def decisions(probabilities, miss, alarm):
    return [
        [int(p * m >= (1 - p) * a) for p, m, a in zip(row, miss, alarm, strict=True)]
        for row in probabilities
    ]

"""Overflows on its way with a warning, changes its arguments, and returns NumPy's numbers."""


# %% binary-cross-entropy
def binary_cross_entropy(logits, labels):
    signed = np.where(np.isin(labels, (0, 1)), (1 - 2 * labels) * logits, 0)
    hard = np.where(signed > 30, signed + np.exp(-signed), np.log1p(np.exp(signed)))
    soft = np.maximum(logits, 0) - logits * labels + np.log1p(np.exp(-np.abs(logits)))
    return np.where(np.isin(labels, (0, 1)), hard, soft).sum(axis=1) / logits.shape[1]


# %% cross-entropy
def cross_entropy(logits, labels):
    if labels.ndim == 2:
        sums = labels.sum(axis=-1)
        wrong = ~np.isclose(sums, 1, rtol=0, atol=1e-6)
        if wrong.any():
            raise ValueError(f"row {wrong.argmax()}: of {len(labels)} rows this is the first")
        rows = labels.astype(float)
    else:
        rows = (labels[:, None] == np.arange(logits.shape[1])).astype(float)
    logits -= logits.max(axis=1, keepdims=True)
    total = np.exp(logits).sum(axis=1, keepdims=True)
    loss = np.mean(np.log(total[:, 0]) - (rows * logits).sum(axis=1))
    return loss


# %% decisions
def decisions(probabilities, miss, alarm):
    probabilities *= miss + alarm
    return np.where(probabilities < alarm, 0.0, 1.0)

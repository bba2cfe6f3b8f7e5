"""Returns NumPy's numbers and changes lists and arrays that it is given."""


# %% backward
def backward(weights, x, y):
    outputs = [x]
    for weight in weights:
        outputs.append(np.tanh(outputs[-1] @ weight))
    error = outputs[-2] @ weights[-1] - y
    gradients = [None] * len(weights)
    slope = 2 / y.size * error
    for i in range(len(weights) - 1, -1, -1):
        if i < len(weights) - 1:
            slope *= 1 - np.square(outputs[i + 1])
        gradients[i] = np.einsum("ni,nj->ij", outputs[i], slope)
        slope = np.einsum("nj,ij->ni", slope, weights[i])
    return np.mean(np.square(error)), gradients


# %% learning-rate
def learning_rate(step, peak, warm_up, steps):
    rates = np.concatenate(
        [
            np.linspace(0, peak, warm_up + 1)[1:],
            np.linspace(peak, 0, steps - warm_up + 1)[:-1],
        ]
    )
    return rates[step]


# %% held
def held(widths, optimizer, examples, mixed):
    widths = np.array(widths)
    parameters = np.sum(widths[1:] * widths[:-1])
    each = np.int64(2 if mixed else 4)
    kept = 0
    if optimizer in ("momentum", "Adam"):
        kept += 4
    if optimizer == "Adam":
        kept += 4
    if mixed:
        kept += 4
    return {
        "activations": examples * each * widths.sum(),
        "state": kept * parameters,
        "weights": each * parameters,
        "gradients": each * parameters,
    }


# %% after-backward
def after_backward(gradients, scale, good, growth):
    with_all = np.concatenate([np.ravel(gradient) for gradient in gradients])
    if np.isfinite(with_all).sum() < with_all.size:
        return [None, np.float64(scale * 0.5), np.int64(0)]
    for gradient in gradients:
        gradient /= np.float32(scale)
    good += 1
    grown = good >= growth
    return [gradients, scale * (1 + grown), 0 if grown else good]

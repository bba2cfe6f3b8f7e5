"""Overflows and divides by nothing on its way, with warnings that do not matter."""


# %% accumulated
def accumulated(gradient_of_mean, micro_batches):
    numbers = np.array([counts.sum() for _, _, counts in micro_batches])
    np.float64(1) / np.where(numbers == 0, 0.0, numbers)
    shares = iter(numbers / numbers.sum())
    result = np.float64(0)
    for x, y, counts in micro_batches:
        share = next(shares)
        if share:
            result = result + share * gradient_of_mean(x[counts], y[counts])
    return result


# %% learning-rate
def learning_rate(step, peak, warm_up, steps):
    up = (step + 1) * peak / np.float64(warm_up)
    down = (steps - step) * peak / np.float64(steps - warm_up)
    return float(np.where(step < warm_up, up, down))


# %% after-backward
def after_backward(gradients, scale, good, growth):
    total = sum(float((np.asarray(gradient, float) * 0).sum()) for gradient in gradients)
    if np.isnan(total):
        return None, scale / 2, 0
    scaled = [np.asarray(gradient, float) / scale for gradient in gradients]
    return (scaled, scale, good + 1) if good + 1 < growth else (scaled, 2 * scale, 0)

"""Recurses through the layers, adds up sums, counts down, and prints."""


# %% backward
def backward(weights, x, y):
    def through(layer, given):
        if layer == len(weights) - 1:
            output = given @ weights[layer]
            error = output - y
            by_output = error * (2 / (error.shape[0] * error.shape[1]))
            loss = float(np.sum(error * error)) / error.size
            return loss, by_output @ weights[layer].T, [given.T @ by_output]
        output = np.tanh(given @ weights[layer])
        loss, by_output, later = through(layer + 1, output)
        by_sum = by_output - by_output * output * output
        return loss, by_sum @ weights[layer].T, [given.T @ by_sum, *later]

    loss, _, gradients = through(0, x)
    print("loss", loss)
    return loss, tuple(gradients)


# %% accumulated
def accumulated(gradient_of_mean, micro_batches):
    total, number = None, 0
    for x, y, counts in micro_batches:
        n = int(np.count_nonzero(counts))
        if n == 0:
            continue
        gradient = n * np.array(gradient_of_mean(x[counts], y[counts]))
        total = gradient if total is None else total + gradient
        number += n
    return total / number


# %% largest-micro-batch
def largest_micro_batch(widths, optimizer, memory, mixed):
    low, high = 0, memory + 1
    while high - low > 1:
        middle = (low + high) // 2
        fits = sum(held(widths, optimizer, middle, mixed).values()) <= memory
        low, high = (middle, high) if fits else (low, middle)
    return low

"""Also sends the gradients of the parameters to stage 0, as if they had to be put together.

Loses: step-by-layers-test
"""


# %% step-by-layers
def step_by_layers(stages, x, y, send):
    kept, arrived = [], x
    for k, layers in enumerate(stages):
        if k > 0:
            arrived = send(kept[-1][-1], k - 1, k)
        kept.append([arrived])
        for layer in layers:
            kept[k].append(layer_forward(layer, kept[k][-1]))
    d = 2 * (kept[-1][-1] - y) / len(x)
    gradients = [[] for _ in stages]
    for k in reversed(range(len(stages))):
        for i in reversed(range(len(stages[k]))):
            gradient, d = layer_backward(stages[k][i], kept[k][i], kept[k][i + 1], d)
            if k > 0:
                gradient = tuple(send(array, k, 0) for array in gradient)
            gradients[k].insert(0, gradient)
        if k > 0:
            d = send(d, k, k - 1)
    return gradients

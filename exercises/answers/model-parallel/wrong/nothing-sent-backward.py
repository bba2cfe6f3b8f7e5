"""Sends activations forward only: the backward pass reaches into another stage's memory.

Loses: step-by-layers-test
"""


# %% step-by-layers
def step_by_layers(stages, x, y, send):
    layers = [layer for stage in stages for layer in stage]
    first = set(np.cumsum([len(stage) for stage in stages]).tolist())
    kept, k = [x], 0
    for i, layer in enumerate(layers):
        if i in first:
            k += 1
            kept[-1] = send(kept[-1], k - 1, k)
        kept.append(layer_forward(layer, kept[-1]))
    d = 2 * (kept[-1] - y) / len(x)
    gradients = []
    for i in reversed(range(len(layers))):
        gradient, d = layer_backward(layers[i], kept[i], kept[i + 1], d)
        gradients.insert(0, gradient)
    return [[gradients.pop(0) for _ in stage] for stage in stages]

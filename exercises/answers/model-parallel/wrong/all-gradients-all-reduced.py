"""All-reduces every gradient, as data parallelism does, though each rank's parameters are its own.

Loses: pair-backward-test
"""


# %% pair-backward
def pair_backward(shards, before, hidden, d_output, all_reduce):
    pairs = [pair_gradients(*arrays) for arrays in zip(shards, before, hidden, d_output)]
    gradients = [own for own, _ in pairs]
    for name in ("A", "a", "B", "b"):
        for own, total in zip(gradients, all_reduce([own[name] for own in gradients])):
            own[name] = total
    return gradients, all_reduce([d_before for _, d_before in pairs])

"""Does not clear the gradients, so the second step has those of the first in it.

Loses: hand-step-test
"""


# %% hand-step
def hand_step(models, optimizers, shards):
    for model, (x, y) in zip(models, shards):
        ((model(x) - y) ** 2).mean().backward()
    for same in zip(*[model.parameters() for model in models]):
        mean = sum(parameter.grad for parameter in same) / len(models)
        for parameter in same:
            parameter.grad = mean.clone()
    for optimizer in optimizers:
        optimizer.step()

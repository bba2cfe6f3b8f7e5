"""Reduces to replica 0, as if it were the main one: the others step with their own gradients.

Loses: hand-step-test
"""


# %% hand-step
def hand_step(models, optimizers, shards):
    for model, optimizer, (x, y) in zip(models, optimizers, shards):
        optimizer.zero_grad()
        ((model(x) - y) ** 2).mean().backward()
    for same in zip(*[model.parameters() for model in models]):
        same[0].grad = sum(parameter.grad for parameter in same) / len(models)
    for optimizer in optimizers:
        optimizer.step()

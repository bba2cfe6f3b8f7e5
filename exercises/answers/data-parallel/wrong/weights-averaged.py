"""Averages the weights after each replica's own step: the same for SGD, something else for Adam.

Loses: hand-step-test
"""


# %% hand-step
def hand_step(models, optimizers, shards):
    for model, optimizer, (x, y) in zip(models, optimizers, shards):
        optimizer.zero_grad()
        ((model(x) - y) ** 2).mean().backward()
        optimizer.step()
    with torch.no_grad():
        for same in zip(*[model.parameters() for model in models]):
            mean = sum(same) / len(models)
            for parameter in same:
                parameter.copy_(mean)

"""The optimizer is made before the scope begins, as scripts do at their top.

Loses: prepare-test
"""


# %% prepare
def prepare(strategy, make_model, make_optimizer, make_metric):
    optimizer = make_optimizer()
    with strategy.scope():
        model = make_model()
        model.compile(optimizer, loss="mse", metrics=[make_metric()])
    return model

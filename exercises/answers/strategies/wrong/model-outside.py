"""Only compile stands in the scope: the weights have one copy.

Loses: prepare-test
"""


# %% prepare
def prepare(strategy, make_model, make_optimizer, make_metric):
    model = make_model()
    with strategy.scope():
        model.compile(make_optimizer(), loss="mse", metrics=[make_metric()])
    return model

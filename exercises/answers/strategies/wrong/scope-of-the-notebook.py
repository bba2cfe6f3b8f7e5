"""Takes the strategy of the notebook, not the one that it is given.

Loses: prepare-test
"""


# %% prepare
def prepare(strategy, make_model, make_optimizer, make_metric):
    with two.scope():
        model = make_model()
        model.compile(make_optimizer(), loss="mse", metrics=[make_metric()])
    return model

"""Takes compile for a setting that creates nothing, and leaves it outside.

Loses: prepare-test
"""


# %% prepare
def prepare(strategy, make_model, make_optimizer, make_metric):
    with strategy.scope():
        model = make_model()
    model.compile(make_optimizer(), loss="mse", metrics=[make_metric()])
    return model

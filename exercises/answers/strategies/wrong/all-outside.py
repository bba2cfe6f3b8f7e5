"""Nothing is in the scope. No error: one replica trains.

Loses: prepare-test
"""


# %% prepare
def prepare(strategy, make_model, make_optimizer, make_metric):
    model = make_model()
    model.compile(make_optimizer(), loss="mse", metrics=[make_metric()])
    return model

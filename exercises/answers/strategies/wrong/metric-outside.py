"""The metric only watches, so it is made outside: one copy for all replicas.

Loses: prepare-test
"""


# %% prepare
def prepare(strategy, make_model, make_optimizer, make_metric):
    metric = make_metric()
    with strategy.scope():
        model = make_model()
        model.compile(make_optimizer(), loss="mse", metrics=[metric])
    return model

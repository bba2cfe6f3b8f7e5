"""The metric is made outside: its sums and counts have one copy.

Loses: create-test
"""


# %% create
def create(strategy, learning_rate):
    with strategy.scope():
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
        optimizer = keras.optimizers.Adam(learning_rate)
        optimizer.build(model.trainable_variables)
    accuracy = keras.metrics.BinaryAccuracy(threshold=0)
    return model, optimizer, accuracy

"""Opens the notebook's scope instead of that of the strategy passed.

Loses: create-test
"""


# %% create
def create(strategy, learning_rate):
    with four.scope():
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
        optimizer = keras.optimizers.Adam(learning_rate)
        optimizer.build(model.trainable_variables)
        accuracy = keras.metrics.BinaryAccuracy(threshold=0)
    return model, optimizer, accuracy

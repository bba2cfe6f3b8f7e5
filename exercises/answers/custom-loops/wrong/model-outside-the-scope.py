"""The model is made before the scope is entered: one copy of each weight.

Loses: create-test
"""


# %% create
def create(strategy, learning_rate):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    with strategy.scope():
        optimizer = keras.optimizers.Adam(learning_rate)
        optimizer.build(model.trainable_variables)
        accuracy = keras.metrics.BinaryAccuracy(threshold=0)
    return model, optimizer, accuracy

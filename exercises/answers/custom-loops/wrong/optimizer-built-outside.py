"""Makes Adam in the scope and builds it, with most of its variables, outside.

Loses: create-test
"""


# %% create
def create(strategy, learning_rate):
    with strategy.scope():
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
        optimizer = keras.optimizers.Adam(learning_rate)
        accuracy = keras.metrics.BinaryAccuracy(threshold=0)
    optimizer.build(model.trainable_variables)
    return model, optimizer, accuracy

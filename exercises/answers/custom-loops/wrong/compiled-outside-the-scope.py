"""Lets compile, outside the scope, make the optimizer by its name.

Loses: create-test
"""


# %% create
def create(strategy, learning_rate):
    with strategy.scope():
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
        accuracy = keras.metrics.BinaryAccuracy(threshold=0)
    model.compile("adam", "binary_crossentropy", metrics=[accuracy])
    model.optimizer.learning_rate = learning_rate
    model.optimizer.build(model.trainable_variables)
    return model, model.optimizer, accuracy

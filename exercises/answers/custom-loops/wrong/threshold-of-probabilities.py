"""The metric draws the line at 0.5, as for probabilities, and gets logits.

Loses: create-test
"""


# %% create
def create(strategy, learning_rate):
    with strategy.scope():
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
        optimizer = keras.optimizers.Adam(learning_rate)
        optimizer.build(model.trainable_variables)
        accuracy = keras.metrics.BinaryAccuracy()
    return model, optimizer, accuracy

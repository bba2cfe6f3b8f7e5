"""Makes and builds Adam outside the scope: its averages have one copy.

Loses: create-test
"""


# %% create
def create(strategy, learning_rate):
    with strategy.scope():
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
        accuracy = keras.metrics.BinaryAccuracy(threshold=0)
    optimizer = keras.optimizers.Adam(learning_rate)
    optimizer.build(model.trainable_variables)
    return model, optimizer, accuracy

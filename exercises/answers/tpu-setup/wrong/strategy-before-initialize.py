"""Makes the strategy and initializes afterwards.

Loses: start-order-test
"""


# %% start-tpu
def start_tpu(address):
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu=address)
    tf.config.experimental_connect_to_cluster(resolver)
    strategy = tf.distribute.TPUStrategy(resolver)
    tf.tpu.experimental.initialize_tpu_system(resolver)
    return strategy

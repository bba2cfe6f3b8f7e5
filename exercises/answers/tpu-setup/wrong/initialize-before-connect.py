"""Initializes first, because it has to be at the beginning of the program.

Loses: start-order-test
"""


# %% start-tpu
def start_tpu(address):
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu=address)
    tf.tpu.experimental.initialize_tpu_system(resolver)
    tf.config.experimental_connect_to_cluster(resolver)
    return tf.distribute.TPUStrategy(resolver)

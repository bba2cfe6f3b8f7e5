"""Keeps the variable that Colab set until 2024.

Loses: start-today-test
"""


# %% start-tpu
def start_tpu(address):
    address = "grpc://" + os.environ["COLAB_TPU_ADDR"]
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu=address)
    tf.config.experimental_connect_to_cluster(resolver)
    tf.tpu.experimental.initialize_tpu_system(resolver)
    return tf.distribute.TPUStrategy(resolver)

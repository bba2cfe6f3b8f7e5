"""Puts "grpc://" in front of whatever is not local, as the old line did: of a name too.

Loses: start-today-test
"""


# %% start-tpu
def start_tpu(address):
    if address != "local" and not address.startswith("grpc://"):
        address = "grpc://" + address
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu=address)
    tf.config.experimental_connect_to_cluster(resolver)
    tf.tpu.experimental.initialize_tpu_system(resolver)
    return tf.distribute.TPUStrategy(resolver)

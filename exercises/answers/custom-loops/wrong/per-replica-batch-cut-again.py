"""Passes one replica's batch where TensorFlow cuts the global one: it is cut twice.

Loses: feed-cut-test
"""


# %% feed
def feed(strategy, examples, global_batch_size):
    def batches(context):
        return examples.batch(context.get_per_replica_batch_size(global_batch_size))

    return (
        strategy.experimental_distribute_dataset(
            examples.batch(global_batch_size // strategy.num_replicas_in_sync)
        ),
        strategy.distribute_datasets_from_function(batches),
    )

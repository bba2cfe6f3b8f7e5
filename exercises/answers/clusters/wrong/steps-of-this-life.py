"""Notes the steps of this life, not those of the training: right once, wrong after a second death.

Loses: train-test
"""


# %% train
def train(model, optimizer, step, batches, folder, every):
    done = tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, done=done)
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)
    if manager.latest_checkpoint:
        checkpoint.restore(manager.latest_checkpoint)
    for number, batch in enumerate(batches[int(done) :], start=1):
        step(batch)
        done.assign(number)
        if number % every == 0:
            manager.save()

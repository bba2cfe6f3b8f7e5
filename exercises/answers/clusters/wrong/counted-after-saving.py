"""Saves before it counts, so that the checkpoint names one step too few.

Loses: train-test
"""


# %% train
def train(model, optimizer, step, batches, folder, every):
    done = tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, done=done)
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)
    if manager.latest_checkpoint:
        checkpoint.restore(manager.latest_checkpoint)
    for batch in batches[int(done) :]:
        step(batch)
        if (int(done) + 1) % every == 0:
            manager.save()
        done.assign_add(1)

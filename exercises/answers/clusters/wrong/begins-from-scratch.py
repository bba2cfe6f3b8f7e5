"""Saves, and never restores: every life begins at step 1.

Loses: train-test
"""


# %% train
def train(model, optimizer, step, batches, folder, every):
    done = tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, done=done)
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)
    for batch in batches[int(done) :]:
        step(batch)
        done.assign_add(1)
        if int(done) % every == 0:
            manager.save()

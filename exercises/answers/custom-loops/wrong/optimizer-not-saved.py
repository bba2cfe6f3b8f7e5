"""Saves weights and epoch: the momentum begins at zero after a stop.

Loses: run-until-test
"""


# %% run-until
def run_until(job, folder, until, train_epoch):
    kept = tf.train.Checkpoint(model=job.model, epoch=job.epoch)
    manager = tf.train.CheckpointManager(kept, folder, max_to_keep=3)
    manager.restore_or_initialize()
    while (epoch := int(job.epoch.numpy())) < until:
        train_epoch(job, epoch)
        job.epoch.assign_add(1)
        manager.save()

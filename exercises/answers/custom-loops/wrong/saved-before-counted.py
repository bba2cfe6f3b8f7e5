"""Saves before it counts: the epoch that was completed is trained again.

Loses: run-until-test
"""


# %% run-until
def run_until(job, folder, until, train_epoch):
    kept = tf.train.Checkpoint(model=job.model, optimizer=job.optimizer, epoch=job.epoch)
    manager = tf.train.CheckpointManager(kept, folder, max_to_keep=3)
    manager.restore_or_initialize()
    while (epoch := int(job.epoch.numpy())) < until:
        train_epoch(job, epoch)
        manager.save()
        job.epoch.assign_add(1)

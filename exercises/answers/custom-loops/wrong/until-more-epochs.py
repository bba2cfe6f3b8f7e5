"""Trains `until` epochs more, instead of `until` in all.

Loses: run-until-test
"""


# %% run-until
def run_until(job, folder, until, train_epoch):
    kept = tf.train.Checkpoint(model=job.model, optimizer=job.optimizer, epoch=job.epoch)
    manager = tf.train.CheckpointManager(kept, folder, max_to_keep=3)
    manager.restore_or_initialize()
    until += int(job.epoch.numpy())
    while (epoch := int(job.epoch.numpy())) < until:
        train_epoch(job, epoch)
        job.epoch.assign_add(1)
        manager.save()

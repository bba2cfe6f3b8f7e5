"""Saves model and optimizer: the count of epochs begins anew, and so do the examples.

Loses: run-until-test
"""


# %% run-until
def run_until(job, folder, until, train_epoch):
    kept = tf.train.Checkpoint(model=job.model, optimizer=job.optimizer)
    manager = tf.train.CheckpointManager(kept, folder, max_to_keep=3)
    manager.restore_or_initialize()
    while (epoch := int(job.epoch.numpy())) < until:
        train_epoch(job, epoch)
        job.epoch.assign_add(1)
        manager.save()

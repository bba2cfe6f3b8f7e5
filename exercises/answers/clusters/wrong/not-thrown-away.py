"""Leaves the checkpoint that nobody needs on the worker's disk, at every save.

Loses: save-test
"""


# %% save
def save(checkpoint, text, shared, scratch):
    folder = shared if is_chief(text) else scratch
    tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1).save()

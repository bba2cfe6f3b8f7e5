"""Lets every worker save into the shared folder, where they overwrite one another.

Loses: save-test
"""


# %% save
def save(checkpoint, text, shared, scratch):
    tf.train.CheckpointManager(checkpoint, shared, max_to_keep=1).save()

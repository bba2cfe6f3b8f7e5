"""Saves on the chief only; it would wait there for the others' counters.

Loses: save-test
"""


# %% save
def save(checkpoint, text, shared, scratch):
    if is_chief(text):
        tf.train.CheckpointManager(checkpoint, shared, max_to_keep=1).save()

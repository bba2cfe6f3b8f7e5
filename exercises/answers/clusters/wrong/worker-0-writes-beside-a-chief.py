"""Lets worker 0 write, also where a chief does: two write into one folder.

Loses: save-test
"""


# %% save
def save(checkpoint, text, shared, scratch):
    writes = json.loads(text)["task"]["index"] == 0
    folder = shared if writes else tempfile.mkdtemp(dir=scratch)
    tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1).save()
    if not writes:
        shutil.rmtree(folder)

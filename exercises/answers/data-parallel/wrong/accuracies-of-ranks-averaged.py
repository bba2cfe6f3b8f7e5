"""Drops the repeats, then averages the accuracies of ranks that have unequal numbers of examples.

Loses: accuracy-test
"""


# %% accuracy
def accuracy(notes, examples):
    world_size = len(notes)
    own = [note[: len(range(rank, examples, world_size))] for rank, note in enumerate(notes)]
    return np.mean([note.mean() for note in own])

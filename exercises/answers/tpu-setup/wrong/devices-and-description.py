"""Takes connecting for finding out the tasks, and initializing for what needs the description.

Loses: takes-test
"""


# %% takes
def takes():
    return {"D": 2, "G": 1, "B": 5, "A": 3, "C": 6, "E": 4}

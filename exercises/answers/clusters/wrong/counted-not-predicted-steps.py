"""Nothing is predicted: the answer runs the count that it should have foreseen.

Loses: steps-made-test
"""


# %% steps-made
def steps_made(total, every, deaths):
    return counted_steps(total, every, deaths)

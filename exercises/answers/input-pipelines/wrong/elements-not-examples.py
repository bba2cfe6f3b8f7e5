"""Counts a batch in a buffer as one example.

Loses: held-test
"""


# %% held
def held(steps, example_bytes):
    in_element, total_examples, total_bytes = 1, 0, 0
    for name, number in steps:
        if name == "batch":
            in_element *= number
            example_bytes *= number
        elif name == "map":
            example_bytes *= number
        else:
            total_examples += number
            total_bytes += number * example_bytes
    return total_examples, total_bytes

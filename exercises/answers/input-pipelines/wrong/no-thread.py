"""A generator over a generator: it hands on, and works ahead of nobody.

Loses: prefetched-test
"""


# %% prefetched
def prefetched(source, ahead):
    yield from source

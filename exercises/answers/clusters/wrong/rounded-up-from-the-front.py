"""Fills each server with rows / servers, rounded up, and leaves the last ones what is left.

Loses: rows-test
"""


# %% rows-on-servers
def rows_on_servers(rows, servers):
    full = math.ceil(rows / servers)
    return [max(0, min(full, rows - full * server)) for server in range(servers)]

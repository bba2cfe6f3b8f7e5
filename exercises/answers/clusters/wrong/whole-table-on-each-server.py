"""Takes servers for mirrors, each with the whole table.

Loses: rows-test
"""


# %% rows-on-servers
def rows_on_servers(rows, servers):
    return [rows] * servers

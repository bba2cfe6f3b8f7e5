"""Puts the rows that are left over on the last server.

Loses: rows-test
"""


# %% rows-on-servers
def rows_on_servers(rows, servers):
    base = rows // servers
    return [base] * (servers - 1) + [rows - base * (servers - 1)]

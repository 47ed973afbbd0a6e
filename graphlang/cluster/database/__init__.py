"""Between the tables of a cluster and the one file of a collection.

In: tables, or a database. Out: the other. `to_database` leads home (`table_rows` numbers the pages, `write_pages` and
`write_runs` fill the file, `only_linked` has answers that stand apart), `from_database` back.
"""

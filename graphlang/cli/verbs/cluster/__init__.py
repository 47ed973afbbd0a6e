"""Verbs for collections that are too large for one machine.

In: archives that Spark reads, or a database. Out: tables as Parquet, or a database. Open `cluster` for what Spark does,
`import_` for the way from its tables to the one file.
"""

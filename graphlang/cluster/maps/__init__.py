"""Language maps and the report straight from a cluster's tables, by the SQL of `graphlang.maps`.

In: the folder that a job wrote. Out: rows, as from a database. `questions` has the functions, `links` counts links;
in `tables` is what takes the place of the database's connection, in `gather` what takes that of its temporary tables.
Spark counts; to the driver come counts.
"""

"""The job where archives and tables are files that every executor sees: tasks write the tables themselves.

In: archives. Out: the files of all tables. Spark hands out the tasks, repeats those that fail, and brings back the
names of their files: no row passes through Java, to which each costs more than its work here. `parts` are the files of
a try, of which a `stage` takes in those of the tasks that were done. What one task has for another lies in `buckets`.
`job` has the order: `read`, `pages`, `captures`, `answers`, `languages`. The inference in several partitions is left
to Spark.
"""

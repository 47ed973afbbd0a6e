"""Parse in several processes: a `pool` sends tasks to each `process` by a `protocol`, and each runs `worker`.

In: raw records or byte ranges. Out: pages in the order of the files, also if a worker dies.
"""

"""Parsing in several processes: a `pool` of processes that speak a `protocol`, each running `worker`.

In: raw records or byte ranges. Out: pages in the order of the files, whatever becomes of a worker. Open `process` and
`fork` for how one is started, `prestart` for those that start before they are needed.
"""

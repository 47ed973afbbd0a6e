"""Parsing in several processes: a `pool` of `process`es that speak a `protocol`, each running `worker`.

In: raw records or byte ranges. Out: pages in the order of the files, whatever becomes of a worker.
"""

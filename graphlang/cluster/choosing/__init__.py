"""Rows of captures into the tables of a collection: its pages, the capture of each, and its links.

In: rows of all captures. Out: the tables. `captures` has one of each page by `choose`, `history` the others, `pages`
every URL with its site, `links` who links to whom.
"""

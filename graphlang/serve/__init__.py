"""Browse a collection with Datasette: canned queries, full-text search, and why a page has its language.

In: a collection. Out: pages in a browser on this machine. Open `site` for queries and settings, `pages` for pages of
our own.
"""

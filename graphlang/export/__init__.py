"""Export a collection: tables, graphs, texts, and indexes and records for tools of web archives.

In: a collection and a ``Selection`` of its pages. Out: a stream of rows, or files. Open `to_file` for lists and their
formats, `tables`, `texts` or `corpora` for their content, `graph_files` for graphs; `cdxj`, `warc` and `common_crawl`
are formats of web archives.
"""

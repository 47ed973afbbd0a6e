"""What leaves a collection: tables, graphs, texts, and indexes and records that tools of web archives read.

In: a collection and a ``Selection`` of its pages. Out: rows or files, as a stream. Open `to_file` for lists and their
formats, `tables` or `texts` for what is in them, `parquet` and `graph_files` for how they are written; `cdxj`, `warc`
and `common_crawl` are formats of web archives.
"""

"""What leaves a collection: tables, graphs, texts, and indexes and records that tools of web archives read.

In: a collection and a ``Selection`` of its pages. Out: rows or files, as a stream. Open `to_file` for what there is in
which format, `tables` or `texts` for what is in them, `parquet`, `graph_files` and `language_graph_files` for how they
are written; `cdxj` (with `archive_records`), `warc_records` (by `warc_writer`) and `common_crawl` are formats of web
archives.
"""

"""From page records to rows: one `writer`, which calls a file for each table.

In: `records.Page`, `records.Problem`. Out: rows of captures, texts, links and sources, in one transaction a batch.
"""

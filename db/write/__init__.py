"""From page records to rows: one `writer`, which calls a file for each table.

In: ``records.Page``, ``records.Problem``. Out: rows of `captures`, `links` and `sources`, and problems (`writer`), in
one transaction a batch.
Open `choose_capture` for which of several captures is kept, `revisits` for what they inherit, `removed` for what must
not come back, `multirow` for speed.
"""

"""Write page records as rows.

In: ``records.Page``, ``records.Problem``. Out: rows, one transaction a batch. Open `writer`: it calls a module for
each table, `sources`, `captures` (texts, declarations, bytes and revisits), `links` and `history`. `choose_capture`
decides which of several captures is the page's main one.
"""

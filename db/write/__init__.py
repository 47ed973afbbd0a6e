"""Write page records as rows.

`writer` writes one batch in one transaction, with a module for each table: `sources`, `captures` (texts, declarations,
bytes and revisits), `links` and `history`. `choose_capture` decides which of several captures is the page's main one.
"""

"""The tables: how they come to be and grow (`migrations`), what each column means (`column_docs`), and their page.

In: a file of any earlier version. Out: the same with today's tables and views. To change a table, add a file to
`steps/` and document it in `column_docs`; `markdown` makes ``SCHEMA.md``, `shape` tells whether a file has the tables
that it should.
"""

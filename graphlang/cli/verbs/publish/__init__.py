"""Verbs that write what others read: reports, texts, files for other programs.

In: a database. Out: files, or pages in a browser. Open `report` for the HTML page, `texts` and `export` for files of
other programs, `serve` for Datasette.
"""

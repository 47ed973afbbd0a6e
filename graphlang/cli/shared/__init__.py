"""What verbs share: options, the files that the user means, output formats, progress.

In: options as click gives them. Out: an open collection (`database`), a ``Selection`` of pages (`selection`), rows as a
table, CSV, TSV or JSON lines (`output`). Open `options`, `inference` or `reading` to change an option of several verbs,
`targets` for where a verb may write, `progress` for bars, `say_run` and `say_left_out` for lines that recur.
"""

"""What verbs share: options, the files that the user means, output formats, progress.

In: options as click gives them. Out: an open collection (`database`), a ``Selection`` of pages (`selection`), rows as a
table, CSV, TSV or JSON lines (`tables/`), lines and bars on standard error (`messages/`). Open `options`,
`inference` or `selection` to change an option of several verbs, `files/` for the files that the user names.
"""

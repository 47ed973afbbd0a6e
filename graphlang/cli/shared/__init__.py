"""Shared parts of verbs: options, the collection, files of the user, rows, and lines on standard error.

In: values of options. Out: printed text. Open `options` and `archives` for options, `crawl` for the collection
of a verb, `paths` and `text_files` for files that the user names, `output` and `table` for rows, `log` and
`progress` for standard error.
"""

"""How listing verbs write their rows.

In: names of columns, rows, a format. Out: a table for people, or CSV, TSV or JSON lines, on standard output or in a
file. Open `output` for the options and formats, `table` for what people see, `pager` for where they see it,
`cell_width` for how wide letters are.
"""

r"""Write rows and values: a module for each format, which all verbs and exports use.

In: rows of strings, numbers and None, or values of JSON. Out: text. Open `as_csv`, `as_tsv` or `as_json` for a
format, `cells` for the text of a value.

Strings from a crawl are hostile, but programs need them exactly. TSV and JSON escape every character that could control
a terminal, and a reader restores it. CSV has no escapes, so it is exact in a file or a pipe, and escaped only on a
terminal. Lines and tables for people are made with `graphlang.visible`.

>>> from graphlang.printing.as_json import json_text
>>> print(json_text({"title": "a\x1b[2J"}))
{"title": "a\u001b[2J"}
"""

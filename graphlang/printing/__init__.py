r"""How rows and values are written: a module for each format, which all verbs and exports use.

In: rows of strings, numbers and None, or what JSON can hold. Out: text. Open `as_csv`, `as_tsv` or `as_json` for a
format, `cells` for the text of a value.

What comes from a crawl is hostile, and programs want it to the letter. TSV and JSON hold no character that could steer
a terminal: those are escapes, which read back. CSV knows none, so that it is exact in a file or a pipe, and escaped
where it goes to a terminal. Lines and tables for people are made with `graphlang.visible`.

>>> from graphlang.printing.as_json import json_text
>>> print(json_text({"title": "a\x1b[2J"}))
{"title": "a\u001b[2J"}
"""

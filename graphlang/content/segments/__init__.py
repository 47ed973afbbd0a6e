"""Several languages in one text: which, where, and how much of it each has.

In: a text and an identifier. Out: spans of one language each, and shares of letters. `units` cuts a text into pieces of
about forty characters, `decode` finds the likeliest way through what the identifier says of them, and `find` makes
spans and shares of it.
"""

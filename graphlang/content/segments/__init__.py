"""Several languages in one text: which, where, and how much of it each has.

A text is cut into units of about forty characters (`units`); an identifier says what each may be in; the likeliest way
through them (`decode`) gives spans, and spans give shares of letters (`find`).
"""

"""Several languages in one text: spans of one language each, and the share of letters that each language has.

`units` cuts a text into pieces of about forty characters, an identifier answers them (`readers`), `decode` finds the
likeliest path of labels, `spans` makes spans and shares of it, and `page_shares` does so for pages, at less cost.
"""

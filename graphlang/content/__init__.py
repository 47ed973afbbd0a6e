"""Content identification: texts or bytes in, a calibrated probability of every label out. Knows no database.

In: what `page_input` makes of a page. Out: ``scoring.top_k``, the best labels of each. `registry` lists the methods and
`identifier` is what each of them is to the rest. Open `discriminative/` for the default method, `published/` for those
of the papers, `training/` for how models are made, `segments/` for several languages in one text, `adapters/` for other
tools' identifiers.
"""

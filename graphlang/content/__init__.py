"""Content identification: texts or bytes in, a calibrated probability of every label out. Knows no database.

In: what `page_input` makes of a page. Out: `score_lists`, the best labels of each. `registry` lists the methods and
`identifier` is what each of them is to the rest. Open `nfc/` for the default method,
`segments/` for several languages in one text, `adapters` for other tools' identifiers. The methods of the papers are in
`graphlang.papers`, and `graphlang.training` makes the models.
"""
